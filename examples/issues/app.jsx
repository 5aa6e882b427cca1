import { useLiveQuery } from "@tanstack/react-db";
import { StoreProvider, useConflicts, useMarks, useOffline } from "raven-edge/react";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { newest, open } from "./data.js";

const root = createRoot(document.querySelector("main"));
const now = () => new Date().toISOString();
const safely = (action) => (form) => action(form).catch(({ message }) => alert(message)); // else React ends
const Button = (props) => <button type="button" {...props} />;

function SignIn() {
  const submit = async (form) => {
    const user = form.get("name");
    if ((await fetch("/sign-in", { method: "POST", body: user })).ok) show(user);
  };
  return (
    <form action={safely(submit)}>
      <input name="name" placeholder="Name" /> <button type="submit">Sign in</button>
    </form>
  );
}

/** What is not saved is asked about first. The cookie goes last, because all before may still be sent as this user. */
async function signOut({ store }) {
  const count = await store.offline.pending();
  if (count > 0 && !confirm(`${count} not saved, which will be lost. Sign out?`)) return;
  await store.offline.clear();
  await store.dispose();
  delete localStorage.user;
  await fetch("/sign-in", { method: "DELETE" });
  show();
}

function Issues({ data }) {
  const [status, setStatus] = useState("open");
  const [text, setText] = useState("");
  const { data: shown = [] } = useLiveQuery(newest(data, status, text), [data, status, text]);
  const add = async (form) => {
    const members = [data.user, ...form.get("with").split(" ").filter(Boolean)];
    const id = await data.issues.utils.nextId();
    const author = `users/${data.user}`;
    data.issues.insert({ id, title: form.get("title"), status: "open", author, members, at: now() });
  };
  return (
    <>
      <form action={safely(add)}>
        <input name="title" placeholder="New issue" required /> <input name="with" placeholder="with" />
        <button type="submit">Add</button>
      </form>
      <select value={status} onChange={({ target }) => setStatus(target.value)}>
        <option>open</option>
        <option>done</option>
      </select>
      <input type="search" value={text} onChange={({ target }) => setText(target.value)} />
      <ul>
        {shown.map((issue) => (
          <Issue key={issue.id} issue={issue} data={data} />
        ))}
      </ul>
    </>
  );
}

function Issue({ issue: { id, title, status, members, author, comments }, data }) {
  const markOf = useMarks();
  const other = status === "open" ? "done" : "open";
  const change = (to) => data.issues.update(id.toLowerCase(), (row) => Object.assign(row, to));
  const comment = async (form) => {
    const own = await data.comments.utils.nextId();
    data.comments.insert({ id: own, issue: id, text: form.get("text"), members, at: now() });
  };
  return (
    <li className={markOf(id)}>
      <b>{title}</b> <i>{author}</i>
      <Button onClick={() => change({ status: other })}>{other === "done" ? "Done" : "Open again"}</Button>
      <form action={(form) => change({ title: form.get("title") })}>
        <input name="title" defaultValue={title} /> <button type="submit">Rename</button>
      </form>
      <ol>
        {comments.map((each) => (
          <li key={each.id}>{each.text}</li>
        ))}
      </ol>
      <form action={safely(comment)}>
        <input name="text" placeholder="Comment" required /> <button type="submit">Send</button>
      </form>
    </li>
  );
}

function Outbox({ data }) {
  const { online, queued = 0, sending = 0 } = useOffline() ?? {};
  const { data: conflicts = [] } = useConflicts();
  return (
    <header>
      <p role="status">{`${data.user}: ${online ? "connected" : "no connection"}, ${queued + sending} not saved`}</p>
      <Button onClick={() => signOut(data)}>Sign out</Button>
      {conflicts.map(({ change, documents: [{ mine, theirs }], resolve }) => (
        <p key={change.id} role="alert">
          “{mine?.title}” or “{theirs?.title}”?
          <Button onClick={() => resolve("mine")}>Mine</Button>
          <Button onClick={() => resolve("theirs")}>Theirs</Button>
        </p>
      ))}
    </header>
  );
}

function show(user) {
  if (!user) return root.render(<SignIn />);
  localStorage.user = user;
  const data = open(user);
  root.render(
    <StoreProvider store={data.store}>
      <Outbox data={data} />
      <Issues data={data} />
    </StoreProvider>,
  );
}

navigator.serviceWorker.register("/service-worker.js");
show(localStorage.user);
