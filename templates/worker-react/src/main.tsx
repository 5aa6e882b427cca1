import { useMemo, useState } from "react";
import { createRoot } from "react-dom/client";
import { followOtherTabs, lastUser } from "./session";
import { SignIn } from "./sign-in";
import { openStore, StoreProvider } from "./store";
import { Tasks } from "./tasks";

function App() {
  const [user, setUser] = useState(lastUser);
  return user ? (
    <Own key={user} user={user} left={() => setUser(undefined)} />
  ) : (
    <SignIn signedIn={setUser} />
  );
}

/** What a user has; each user gets a store. */
function Own({ user, left }: { user: string; left: () => void }) {
  const store = useMemo(() => openStore(user), [user]);
  return (
    <StoreProvider store={store}>
      <Tasks user={user} left={left} />
    </StoreProvider>
  );
}

followOtherTabs();
const main = document.querySelector("main");
if (main) createRoot(main).render(<App />);
// A dev server has none.
if (import.meta.env.PROD) navigator.serviceWorker?.register("/service-worker.js");
