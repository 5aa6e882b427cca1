// The attachments of a queued change: what the app is shown of them, and what is sent.

import { fail } from "../../common/error.js";
import type { JsonObject } from "../../common/json.js";
import { loadPart } from "../../runtime/load-part.js";
import type { Transport } from "../../wire/transport.js";
import type { ChangeRecord, CommandTexts } from "../device/records.js";
import type { QueuedAttachment } from "../offline-types.js";
import type { Member } from "./send-batch.js";

/** A command about an attachment, as RavenDB reads it. */
interface AttachmentCommand {
  Type: `Attachment${"PUT" | "DELETE" | "MOVE" | "COPY"}`;
  Name: string;
  ContentType?: string | null;
  DestinationName?: string;
}

const ACTIONS = {
  AttachmentPUT: "store",
  AttachmentDELETE: "delete",
  AttachmentMOVE: "rename",
  AttachmentCOPY: "copy",
} as const;

/** What a change does with the attachments of a document. */
export function attachmentsOf(
  { commands }: Pick<ChangeRecord, "commands">,
  texts: readonly CommandTexts[],
  document: number,
): QueuedAttachment[] {
  return commands.flatMap((command, at) => {
    const { text, content } = texts[at] ?? {};
    if (command.kind !== "ATTACH" || command.document !== document || !text) return [];
    return attachmentOf(JSON.parse(text) as JsonObject, content);
  });
}

/** What a command does with an attachment; `content` is what it stores. */
export function attachmentOf(command: JsonObject, content: Blob | undefined): QueuedAttachment {
  const { Type, Name, ContentType, DestinationName } = command as Partial<AttachmentCommand>;
  return {
    action: ACTIONS[Type ?? "AttachmentPUT"],
    name: Name ?? "",
    ...(DestinationName !== undefined && { newName: DestinationName }),
    ...(content && { content, contentType: ContentType ?? "" }),
  };
}

/** The text of a command. The document may have got another id since. */
export function attachmentText(text: string, id: string): string {
  const command = JSON.parse(text) as JsonObject;
  const to = "DestinationId" in command && { DestinationId: id };
  return JSON.stringify({ ...command, ...to, Id: id });
}

/** The commands that store attachments. */
function puts(members: readonly Member[]): { text: string; content: Blob }[] {
  const all = members.flatMap(({ texts }) => texts);
  return all.flatMap(({ text, content }) => (text && content ? { text, content } : []));
}

/**
 * Throws if the browser has lost a content: a request with it fails as if there were no connection.
 * @throws {RavenEdgeError} `Storage`.
 */
export async function assertReadable(members: readonly Member[]): Promise<void> {
  for (const { text, content } of puts(members))
    await content
      .slice(0, 1)
      .arrayBuffer()
      .catch((cause: unknown) =>
        fail("Storage", `this device has lost the attachment ${nameIn(text)}: ${cause}`, { cause }),
      );
}

const nameIn = (text: string): string => (JSON.parse(text) as AttachmentCommand).Name;

/** The body of a batch: its text, followed by the contents of its attachments. */
export async function bodyOf(
  text: string,
  members: readonly Member[],
): Promise<string | Transport | undefined> {
  const stored = puts(members);
  if (stored.length === 0) return text;
  const { uploadOf } = await loadPart("attachments");
  return uploadOf(
    text,
    stored.map(({ text, content }) => ({ attStream: content, name: nameIn(text) })),
  );
}
