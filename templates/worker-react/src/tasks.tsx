import { type FormEvent, useState } from "react";
import type { Task } from "../worker/names";
import { Outbox } from "./outbox";
import { signOut } from "./session";
import { useMarks, useSet, useStore } from "./store";

export function Tasks({ user, left }: { user: string; left: () => void }) {
  const store = useStore();
  const [title, setTitle] = useState("");
  const [form, setForm] = useState<{ task: Task; save(): Promise<unknown> }>();
  // All tasks of the user, with what waits on this device.
  const { data = [], isComplete, error } = useSet("tasks");
  const [failure, setFailure] = useState("");
  const markOf = useMarks();
  const tasks = [...data].sort((one, other) => other.at.localeCompare(one.at));

  /** A change is safe on this device when `queueChanges` resolves; it is sent when there is a connection. */
  async function add(event: FormEvent) {
    event.preventDefault();
    const session = store.openSession();
    const task: Task = { owner: user, title, done: false, at: new Date().toISOString() };
    try {
      await session.store({ ...task, "@metadata": { "@collection": "Tasks" } });
      await session.queueChanges();
      setTitle("");
      setFailure("");
    } catch (error) {
      // Without a connection the numbers for ids may end: store.ts reserves them.
      setFailure(`Not added: ${(error as Error).message}`);
    }
  }

  async function toggle(id: string) {
    // All tasks are on the device: nothing is waited for.
    const session = store.openSession({ offline: "first" });
    const task = await session.load<Task>(id);
    if (task) task.done = !task.done;
    await session.queueChanges();
  }

  /** The session stays open as long as the form: what others change meanwhile is a conflict, and is not overwritten unseen. */
  async function edit(id: string) {
    const session = store.openSession({ offline: "first" });
    const task = await session.load<Task>(id);
    if (task) setForm({ task, save: () => session.queueChanges() });
  }

  async function rename(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!form) return;
    form.task.title = String(new FormData(event.currentTarget).get("renamed"));
    await form.save();
    setForm(undefined);
  }

  return (
    <>
      <p>
        {user}{" "}
        <button type="button" onClick={async () => (await signOut(store)) && left()}>
          Sign out
        </button>
      </p>
      <form onSubmit={add}>
        <label>
          New task{" "}
          <input name="title" required value={title} onChange={(event) => setTitle(event.target.value)} />
        </label>{" "}
        <button type="submit">Add</button>
      </form>
      {failure && <p role="alert">{failure}</p>}
      <ul>
        {tasks.map((task) => (
          <li key={task.id} className={markOf(task)}>
            <label>
              <input type="checkbox" checked={task.done} onChange={() => task.id && toggle(task.id)} />{" "}
              {task.title}
            </label>{" "}
            {form && form.task.id === task.id ? (
              <form onSubmit={rename}>
                <input name="renamed" required defaultValue={form.task.title} />{" "}
                <button type="submit">Save</button>
              </form>
            ) : (
              <button type="button" onClick={() => task.id && edit(task.id)}>
                Rename
              </button>
            )}
          </li>
        ))}
      </ul>
      {!isComplete && <p>{error?.message ?? "Some tasks may not be on this device yet."}</p>}
      <Outbox user={user} />
    </>
  );
}
