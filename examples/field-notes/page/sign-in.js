// <sign-in>: asks for the name of the user. The event `signed-in` has it.
import { element, form } from "./element.js";

/** Has the Worker set the cookie that the gateway reads. */
export async function signIn(name) {
  const response = await fetch("/sign-in", { method: "POST", body: name });
  if (!response.ok) throw new Error(await response.text());
}

class SignIn extends HTMLElement {
  connectedCallback() {
    const name = element("input", {
      name: "name",
      required: true,
      pattern: "[a-z]{1,20}",
      autocomplete: "username",
    });
    this.replaceChildren(
      form(
        async () => {
          await signIn(name.value);
          this.dispatchEvent(new CustomEvent("signed-in", { detail: name.value, bubbles: true }));
        },
        { className: "card" },
        element("h1", {}, "Who are you?"),
        element("label", {}, "Name, in small letters", name),
        element("p", { className: "quiet" }, "This demo asks for no password."),
        element("button", { className: "primary" }, "Sign in"),
      ),
    );
  }
}

customElements.define("sign-in", SignIn);
