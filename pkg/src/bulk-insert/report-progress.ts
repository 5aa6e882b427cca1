// Reads how far the server is, for apps that show it.

import type { BulkInsertProgress } from "./bulk-insert-types.js";
import type { CommandFeed } from "./command-feed.js";

/** Milliseconds between two reads: the pause doubles from the first value to the last. */
const FIRST_PAUSE = 25;
const LAST_PAUSE = 500;

/** Calls `report` whenever the server has stored more, until the insert ends. */
export async function reportProgress(
  feed: CommandFeed,
  report: (progress: BulkInsertProgress) => void,
): Promise<void> {
  let last = 0;
  for (let pause = FIRST_PAUSE; feed.isUnderWay; pause = Math.min(pause * 2, LAST_PAUSE)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    const { operation, stored } = feed.progress;
    const state = await operation?.state().catch(() => undefined);
    const total = stored.count + (state?.progress?.total ?? 0);
    if (total === last || !feed.isUnderWay) continue;
    last = total;
    report({
      batchCount: 0,
      documentsProcessed: stored.count,
      attachmentsProcessed: 0,
      countersProcessed: 0,
      timeSeriesProcessed: 0,
      ...state?.progress,
      total,
      lastProcessedId: state?.progress?.lastProcessedId ?? (stored.lastId as string),
    });
  }
}
