// Runs in gjs: windows with WebKit in them, controlled by JSON lines on standard input; responses go to descriptor 3.
import Gio from "gi://Gio";
import GLib from "gi://GLib";
import Gtk from "gi://Gtk?version=3.0";
import WebKit from "gi://WebKit2?version=4.1";
import System from "system";

Gtk.init(null);
const [profile] = System.programArgs;
const manager = new WebKit.WebsiteDataManager({
  base_data_directory: GLib.build_filenamev([profile, "site-data"]),
  base_cache_directory: GLib.build_filenamev([profile, "site-cache"]),
});
const context = WebKit.WebContext.new_with_website_data_manager(manager);
const views = [];

/** Resolves with the next signal whose details fit. */
function signal(view, name, fits = () => true) {
  return new Promise((resolve) => {
    const id = view.connect(name, (_, ...details) => {
      if (!fits(...details)) return;
      view.disconnect(id);
      resolve();
    });
  });
}

/** Waits until the page that the action leads to is loaded. */
async function shown(view, action) {
  let problem;
  // A page from the back/forward cache is reported as cancelled once it is shown.
  const failed = view.connect("load-failed", (_, event, url, error) => {
    if (event !== WebKit.LoadEvent.COMMITTED) problem = new Error(`${url}: ${error.message}`);
  });
  const finished = signal(view, "load-changed", (event) => event === WebKit.LoadEvent.FINISHED);
  action();
  await finished;
  view.disconnect(failed);
  if (problem) throw problem;
}

const methods = {
  version: () =>
    `WebKitGTK/${[WebKit.get_major_version(), WebKit.get_minor_version(), WebKit.get_micro_version()].join(".")}`,

  open() {
    const view = new WebKit.WebView({ web_context: context });
    view.get_settings().hardware_acceleration_policy = WebKit.HardwareAccelerationPolicy.NEVER;
    const window = new Gtk.Window({ default_width: 800, default_height: 600 });
    window.add(view);
    window.show_all();
    return views.push(view) - 1;
  },

  goto: ({ view, url }) => shown(view, () => view.load_uri(url)),
  reload: ({ view }) => shown(view, () => view.reload()),
  back: ({ view }) => shown(view, () => view.go_back()),
  forward: ({ view }) => shown(view, () => view.go_forward()),

  evaluate: ({ view, body }) =>
    new Promise((resolve, reject) => {
      view.call_async_javascript_function(body, -1, null, null, null, null, (_, result) => {
        try {
          const value = view.call_async_javascript_function_finish(result);
          resolve(value.is_undefined() ? undefined : value.to_string());
        } catch (error) {
          reject(error);
        }
      });
    }),

  /** Closes a tab as browsers do: asks the page; if it agrees, its window is closed. */
  async close({ view }) {
    const closed = signal(view, "close");
    view.try_close();
    await closed;
    view.get_toplevel().destroy();
  },

  async terminate({ view }) {
    const ended = signal(view, "web-process-terminated");
    view.terminate_web_process();
    await ended;
  },
};

const output = new Gio.UnixOutputStream({ fd: 3 });

async function response({ id, method, params }) {
  let message;
  try {
    message = { id, result: (await methods[method]({ ...params, view: views[params.tab] })) ?? null };
  } catch (error) {
    message = { id, error: { message: error.message } };
  }
  output.write_all(`${JSON.stringify(message)}\n`, null);
}

const input = new Gio.DataInputStream({ base_stream: new Gio.UnixInputStream({ fd: 0 }) });

function listen() {
  input.read_line_async(GLib.PRIORITY_DEFAULT, null, (_, result) => {
    const [line] = input.read_line_finish_utf8(result);
    // The controlling process has ended, or requests the end: windows are closed first, as in any browser.
    if (line === null) {
      for (const window of Gtk.Window.list_toplevels()) window.destroy();
      return Gtk.main_quit();
    }
    response(JSON.parse(line));
    listen();
  });
}

listen();
Gtk.main();
