import { type FormEvent, useState } from "react";
import { signIn } from "./session";

export function SignIn({ signedIn }: { signedIn: (user: string) => void }) {
  const [name, setName] = useState("");
  const [problem, setProblem] = useState("");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await signIn(name);
      signedIn(name);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <form onSubmit={submit}>
      <label>
        Name <input name="name" value={name} onChange={(event) => setName(event.target.value)} />
      </label>{" "}
      <button type="submit">Sign in</button>
      <p role="alert">{problem}</p>
    </form>
  );
}
