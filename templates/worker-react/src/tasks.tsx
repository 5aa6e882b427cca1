import { type FormEvent, useState } from "react";
import type { Task } from "../worker/names";
import { Outbox } from "./outbox";
import { signOut } from "./session";
import { useMarks, useQuery, useStore } from "./store";

export function Tasks({ user, left }: { user: string; left: () => void }) {
  const store = useStore();
  const [title, setTitle] = useState("");
  const { data = [], pending = [], error } = useQuery<Task>({ named: "tasks" });
  const [failure, setFailure] = useState("");
  const markOf = useMarks();
  const tasks = [...pending, ...data].sort((one, other) => other.at.localeCompare(one.at));

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
            </label>
          </li>
        ))}
      </ul>
      {tasks.length === 0 && error && <p>{error.message}</p>}
      <Outbox user={user} />
    </>
  );
}
