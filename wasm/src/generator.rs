//! One tag: its driver, the façade's counter, and those who wait for an id.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use js_sys::{Array, Function, Object, Promise, Reflect};
use raven_edge::error::{Code, Error};
use raven_edge::hilo::{Action, Driver};
use raven_edge::http::NodeId;
use raven_edge::source::{Ask, Exchange, Grant, Return, Source, Step};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use crate::error::to_js;
use crate::platform::{Timer, nonce, now_micros, now_millis, random, sleep};
use crate::request::execute;
use crate::store::Inner;

#[wasm_bindgen]
extern "C" {
    /// The hot counter of the façade (`pkg/hot/counter.js`): it alone owns the block that it was handed.
    pub type Counter;

    #[wasm_bindgen(method)]
    fn attach(this: &Counter, refill: &Function);
    #[wasm_bindgen(method)]
    fn hand(this: &Counter, low: f64, high: f64, prefix: &str, suffix: &str);
    #[wasm_bindgen(method)]
    fn surrender(this: &Counter) -> f64;
    #[wasm_bindgen(method)]
    fn take(this: &Counter) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn rest(this: &Counter) -> f64;
}

/// What a caller waits for.
enum Wish {
    /// One id.
    Id,
    /// That many numbers at hand.
    AtHand(u64),
}

struct Waiter {
    group: u32,
    wish: Wish,
    deadline: u64,
    resolve: Function,
    reject: Function,
}

/// One tag of a store.
pub(crate) struct Tag {
    store: Rc<Inner>,
    driver: RefCell<Driver>,
    counter: Counter,
    refill: RefCell<Option<Closure<dyn FnMut()>>>,
    waiters: RefCell<Vec<Waiter>>,
    timer: RefCell<Option<Timer>>,
    groups: Cell<u32>,
    /// Lease requests whose answer is still to come.
    sending: Cell<u32>,
    settle: RefCell<Vec<Function>>,
    last_error: RefCell<Option<Error>>,
}

impl Tag {
    pub(crate) fn new(store: &Rc<Inner>, tag: &str, counter: Counter) -> Rc<Tag> {
        let made = Rc::new(Tag {
            store: Rc::clone(store),
            driver: RefCell::new(Driver::new(tag, !store.config.isolated())),
            counter,
            refill: RefCell::new(None),
            waiters: RefCell::new(Vec::new()),
            timer: RefCell::new(None),
            groups: Cell::new(0),
            sending: Cell::new(0),
            settle: RefCell::new(Vec::new()),
            last_error: RefCell::new(None),
        });
        let weak = Rc::downgrade(&made);
        let refill = Closure::<dyn FnMut()>::new(move || {
            if let Some(tag) = weak.upgrade() {
                tag.dry();
            }
        });
        made.counter.attach(refill.as_ref().unchecked_ref());
        made.refill.replace(Some(refill));
        made
    }

    /// The counter is empty: a block from the tail, and a lease ahead of need.
    fn dry(self: &Rc<Self>) {
        let actions = self.driver.borrow_mut().dry(now_micros());
        self.act(actions);
        // Nothing left: have some when the next caller asks. On workerd only those who wait may lease.
        if self.counter.rest() == 0.0 && !self.store.config.isolated() {
            self.want(0);
        }
    }

    fn want(self: &Rc<Self>, group: u32) {
        let actions = self.driver.borrow_mut().wanted(group, now_micros());
        self.act(actions);
    }

    fn want_more(self: &Rc<Self>, group: u32) {
        let actions = self.driver.borrow_mut().short(group, now_micros());
        self.act(actions);
    }

    fn at_hand(&self) -> u64 {
        self.driver.borrow().held() + self.counter.rest() as u64
    }

    /// On workerd a request may not wait for another one's promise, so each caller is a group of its own.
    fn group(&self) -> u32 {
        if !self.store.config.isolated() {
            return 0;
        }
        self.groups.set(self.groups.get().wrapping_add(1).max(1));
        self.groups.get()
    }

    fn wait(self: &Rc<Self>, wish: Wish) -> Promise {
        let group = self.group();
        let deadline = now_millis().saturating_add(self.store.executor.borrow().timeout());
        let one = matches!(wish, Wish::Id);
        let mut wish = Some(wish);
        let promise = Promise::new(&mut |resolve, reject| {
            if let Some(wish) = wish.take() {
                self.waiters.borrow_mut().push(Waiter { group, wish, deadline, resolve, reject });
            }
        });
        if one {
            self.want(group);
        }
        self.serve(group);
        promise
    }

    /// How many numbers the waiting callers of a group need.
    fn waiting(&self, group: u32) -> u64 {
        let waiters = self.waiters.borrow();
        let of_group = || waiters.iter().filter(|waiter| waiter.group == group);
        let ids = of_group().filter(|waiter| matches!(waiter.wish, Wish::Id)).count() as u64;
        let at_hand = of_group().fold(0, |most, waiter| match waiter.wish {
            Wish::Id => most,
            Wish::AtHand(count) => count.max(most),
        });
        ids + at_hand.saturating_sub(self.at_hand())
    }

    fn act(self: &Rc<Self>, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Lease { request, group, above } => self.lease(request, group, above),
                Action::Hand { range, prefix, suffix } => {
                    self.counter.hand(range.low() as f64, range.high() as f64, &prefix, &suffix);
                }
                Action::Surrender => {
                    let next = self.counter.surrender();
                    self.driver.borrow_mut().surrendered(next as u64, now_micros());
                }
                Action::Regression { range, highest } => {
                    let detail = Array::of4(
                        &self.driver.borrow().tag().into(),
                        &(range.low() as f64).into(),
                        &(range.high() as f64).into(),
                        &(highest as f64).into(),
                    );
                    self.store.config.emit("regression", &detail);
                }
                Action::Refuse(group, error) => self.refuse(group, &error),
                // Returns are collected by `give_back`, where their callers send them together.
                Action::Return(..) => {}
            }
        }
    }

    /// Asks the source, and again while somebody waits and the failure is an outage.
    fn lease(self: &Rc<Self>, request: u32, group: u32, above: u64) {
        let tag = Rc::clone(self);
        tag.sending.set(tag.sending.get() + 1);
        spawn_local(async move {
            let mut pause = 100;
            loop {
                let ask = tag.driver.borrow().ask(above, tag.waiting(group), now_micros(), nonce());
                match tag.exchange(ask).await {
                    Ok(grant) => {
                        tag.last_error.replace(None);
                        tag.granted(request, group, grant);
                        break;
                    }
                    Err(error) if error.is_outage() && tag.has_waiters(group) => {
                        tag.last_error.replace(Some(error));
                        // Nothing is on its way while it pauses, so `dispose` need not wait for it.
                        tag.sent();
                        sleep(pause / 2 + u64::from(random()) % (pause / 2 + 1)).await;
                        pause = (pause * 2).min(2_000);
                        tag.sending.set(tag.sending.get() + 1);
                        if tag.store.open().is_err() || !tag.has_waiters(group) {
                            tag.driver.borrow_mut().failed(request);
                            break;
                        }
                    }
                    Err(error) => {
                        tag.driver.borrow_mut().failed(request);
                        tag.refuse(group, &error);
                        break;
                    }
                }
            }
            tag.sent();
        });
    }

    async fn exchange(&self, ask: Ask) -> Result<Grant, Error> {
        let mut lease = self.store.source.lease(ask);
        let mut input = None;
        loop {
            match lease.step(input.take()) {
                Step::Send(request) => input = Some(execute(&self.store, &request, u64::MAX).await),
                Step::Done(grant) => return Ok(grant),
                Step::Fail(error) => return Err(error),
            }
        }
    }

    fn granted(self: &Rc<Self>, request: u32, group: u32, grant: Grant) {
        let detail = Array::of5(
            &self.driver.borrow().tag().into(),
            &(grant.range.low() as f64).into(),
            &(grant.range.high() as f64).into(),
            &grant.tag.as_str().into(),
            &grant.fence.is_some().into(),
        );
        let actions = self.driver.borrow_mut().granted(request, grant, now_micros());
        self.act(actions);
        self.serve(group);
        self.store.config.emit("lease", &detail);
    }

    fn sent(&self) {
        self.sending.set(self.sending.get().saturating_sub(1));
        if self.sending.get() == 0 {
            for done in self.settle.take() {
                call(&done, &JsValue::UNDEFINED);
            }
        }
    }

    fn has_waiters(&self, group: u32) -> bool {
        self.waiters.borrow().iter().any(|waiter| waiter.group == group)
    }

    /// Gives ids to those who wait, first come first served, and asks for more if that was not enough.
    fn serve(self: &Rc<Self>, group: u32) {
        loop {
            let Some(at) = self.waiters.borrow().iter().position(|waiter| waiter.group == group) else { break };
            // Taking may refill the counter, which comes back in here: nothing is borrowed.
            let wish = self.waiters.borrow().get(at).map(|waiter| match waiter.wish {
                Wish::Id => None,
                Wish::AtHand(count) => Some(count),
            });
            let value = match wish {
                Some(None) => self.counter.take(),
                Some(Some(count)) if self.at_hand() >= count => JsValue::TRUE,
                _ => JsValue::UNDEFINED,
            };
            if value.is_undefined() {
                break;
            }
            let waiter = self.waiters.borrow_mut().remove(at);
            call(&waiter.resolve, &value);
        }
        if self.has_waiters(group) {
            self.want_more(group);
        }
        self.arm();
    }

    /// One timer, for the caller whose time is up first; none while nobody waits.
    fn arm(self: &Rc<Self>) {
        let first = self.waiters.borrow().iter().map(|waiter| waiter.deadline).min();
        let weak = Rc::downgrade(self);
        let timer = first.map(|deadline| {
            Timer::new(deadline.saturating_sub(now_millis()).max(1), move || {
                if let Some(tag) = weak.upgrade() {
                    tag.expire();
                }
            })
        });
        self.timer.replace(timer);
    }

    fn expire(self: &Rc<Self>) {
        let now = now_millis();
        let late: Vec<Waiter> = {
            let mut waiters = self.waiters.borrow_mut();
            let (late, rest) = waiters.drain(..).partition(|waiter| waiter.deadline <= now);
            *waiters = rest;
            late
        };
        let mut what = String::from("no id for \"");
        what.push_str(self.driver.borrow().tag());
        what.push('"');
        let error = self.store.executor.borrow().timed_out(&what, self.last_error.borrow().as_ref());
        for waiter in late {
            call(&waiter.reject, &to_js(&self.store.config, &error));
        }
        self.arm();
    }

    fn refuse(self: &Rc<Self>, group: u32, error: &Error) {
        let refused: Vec<Waiter> = {
            let mut waiters = self.waiters.borrow_mut();
            let (refused, rest) = waiters.drain(..).partition(|waiter| waiter.group == group);
            *waiters = rest;
            refused
        };
        for waiter in refused {
            call(&waiter.reject, &to_js(&self.store.config, error));
        }
        self.arm();
    }

    /// Nothing more is issued: the counter is emptied, those who wait are refused.
    pub(crate) fn close(self: &Rc<Self>) {
        let actions = self.driver.borrow_mut().closing();
        self.act(actions);
        let error = Error::new(Code::Disposed, "the store was disposed; nothing more is issued or sent");
        let refused = self.waiters.take();
        for waiter in refused {
            call(&waiter.reject, &to_js(&self.store.config, &error));
        }
        self.timer.replace(None);
    }

    /// Waits until no lease of this tag is on its way.
    pub(crate) async fn settled(&self) {
        if self.sending.get() == 0 {
            return;
        }
        let promise = Promise::new(&mut |resolve, _| self.settle.borrow_mut().push(resolve));
        // Resolved by `sent`, never rejected.
        let _ = JsFuture::from(promise).await;
    }

    /// Everything that is left, out of memory and on its way back.
    pub(crate) fn give_back(&self) -> Vec<(Return, NodeId)> {
        let actions = self.driver.borrow_mut().give_back();
        let returns = actions.into_iter().filter_map(|action| match action {
            Action::Return(item, node) => Some((item, node)),
            _ => None,
        });
        returns.collect()
    }
}

/// Settles a promise; its functions cannot throw.
fn call(function: &Function, value: &JsValue) {
    let _ = function.call1(&JsValue::UNDEFINED, value);
}

/// One tag in WebAssembly; the façade's `HiLo` owns one.
#[wasm_bindgen]
pub struct Generator {
    tag: Rc<Tag>,
}

impl From<Rc<Tag>> for Generator {
    fn from(tag: Rc<Tag>) -> Generator {
        Generator { tag }
    }
}

#[wasm_bindgen]
impl Generator {
    /// The next id, when there is one again.
    pub fn next(&self) -> Promise {
        if let Err(error) = self.tag.store.open() {
            return Promise::reject(&to_js(&self.tag.store.config, &error));
        }
        self.tag.wait(Wish::Id)
    }

    /// Settles when that many numbers are at hand.
    pub fn reserve(&self, count: f64) -> Promise {
        if let Err(error) = self.tag.store.open() {
            return Promise::reject(&to_js(&self.tag.store.config, &error));
        }
        self.tag.wait(Wish::AtHand(count as u64))
    }

    /// What a user interface may want to show.
    pub fn status(&self) -> JsValue {
        let status = self.tag.driver.borrow().status();
        let object = Object::new();
        let set = |name: &str, value: JsValue| {
            // Setting a property of a fresh plain object cannot fail.
            let _ = Reflect::set(&object, &name.into(), &value);
        };
        set("atHand", (self.tag.at_hand() as f64).into());
        set("parked", 0.into());
        if let Some(range) = status.range {
            set("low", (range.low() as f64).into());
            set("high", (range.high() as f64).into());
            set("nodeTag", status.node_tag.as_str().into());
        }
        if let Some(fence) = &status.fence {
            set("fence", fence.as_str().into());
        }
        set("leasing", status.leasing.into());
        object.into()
    }
}
