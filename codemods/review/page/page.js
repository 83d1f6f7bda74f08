"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const ROW = 50; // pixels, as in the style
  const PRINTED = 500; // items on paper
  const items = data.items;
  const byId = new Map(items.map((item) => [item.id, item]));
  const get = (selector) => document.querySelector(selector);
  const list = get(".list"), space = get(".space"), detail = get(".detail"), form = get(".filters");
  let shown = items, at = 0, sides = false, undo = [];

  // Everything on the page is made here, and text is only ever set as text.
  function make(tag, properties = {}, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(properties)) {
      if (key === "class") node.className = value;
      else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }

  const decidable = (item) => "decision" in item;
  const decided = (item) => decidable(item) && item.decision !== "undecided";

  function say(text, long) {
    const box = get(".message");
    box.textContent = text;
    box.hidden = false;
    clearTimeout(say.timer);
    say.timer = setTimeout(() => { box.hidden = true; }, long ? 60000 : 4000);
  }

  // Decisions

  function choose(chosen, decision) {
    const wanted = chosen.filter((item) => decidable(item) && item.decision !== decision);
    if (!wanted.length) return;
    undo.push(wanted.map((item) => [item, item.decision]));
    for (const item of wanted) item.decision = decision;
    changed();
  }

  function takeBack() {
    const last = undo.pop();
    if (!last) return say("nothing to undo");
    for (const [item, decision] of last) item.decision = decision;
    const back = shown.indexOf(last[0][0]);
    if (back >= 0) select(back);
    changed();
  }

  function decisions() {
    const rows = items.filter((item) => decided(item) || item.note).map((item) => {
      const row = { id: item.id, decision: item.decision, rule: item.rule, place: item.place };
      if (item.note) row.note = item.note;
      if (item.edit) row.edit = item.edit;
      return row;
    });
    const lines = rows.map((row) => "    " + JSON.stringify(row));
    return `{\n  "${data.format}": ${data.formatVersion},\n  "decisions": [\n${lines.join(",\n")}\n  ]\n}\n`;
  }

  function changed() {
    draw();
    header();
    if (data.served) save();
  }

  let saving = Promise.resolve();
  function save() {
    const body = decisions();
    saving = saving.then(() => fetch("decisions", { method: "PUT", body, headers: { "Content-Type": "application/json" } }))
      .then((answer) => { if (!answer.ok) return answer.text().then((text) => say(`not saved: ${text}`, true)); })
      .catch(() => say("not saved: the server has ended (start spawnfix review again)", true));
    return saving;
  }

  function download() {
    const link = make("a", { href: URL.createObjectURL(new Blob([decisions()], { type: "application/json" })), download: "decisions.json" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    say("decisions.json: spawnfix migrate --decisions decisions.json makes what you accepted");
  }

  async function apply() {
    const accepted = items.filter((item) => item.decision === "accepted").length;
    if (!accepted) return say("nothing is accepted yet: y accepts a change");
    get("[data-do=apply]").disabled = true;
    await save();
    try {
      const answer = await fetch("apply", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
      say(await answer.text(), true);
    } catch {
      say("the server has ended", true);
    }
    get("[data-do=apply]").disabled = false;
  }

  // The list: only the rows in view exist

  function filter() {
    const wanted = Object.fromEntries(new FormData(form));
    const text = wanted.text.toLowerCase();
    const current = shown[at];
    shown = items.filter((item) =>
      (!wanted.rule || item.rule === wanted.rule) && (!wanted.confidence || item.confidence === wanted.confidence) &&
      (!wanted.status || item.status === wanted.status) && (!wanted.decision || item.decision === wanted.decision) &&
      (!text || `${item.path}:${item.line} ${item.rule} ${item.title} ${item.why} ${item.scope}`.toLowerCase().includes(text)));
    at = Math.max(0, shown.indexOf(current));
    get(".shown").textContent = `${shown.length} of ${items.length}`;
    space.style.height = `${shown.length * ROW}px`;
    select(at, true);
  }

  function rows() {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 5);
    const last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 5);
    const made = [];
    for (let index = first; index < last; index++) {
      const item = shown[index];
      const row = make("div", {
        class: "row", role: "option", id: `row-${index}`, "aria-selected": String(index === at), "aria-posinset": index + 1,
        "aria-setsize": shown.length, "data-decision": decidable(item) ? item.decision : "", onclick: () => select(index),
      });
      row.style.top = `${index * ROW}px`;
      row.append(make("div", { class: "where", title: `${item.path}:${item.line}` }, `\u200e${item.path}:${item.line}`),
        make("div", { class: "what" }, `${item.rule}: ${item.title || item.why}`));
      made.push(row);
    }
    space.replaceChildren(...made);
    list.setAttribute("aria-activedescendant", shown.length ? `row-${at}` : "");
  }

  function select(index, keep) {
    at = Math.max(0, Math.min(index, shown.length - 1));
    const top = at * ROW;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
    if (!keep) detail.scrollTop = 0;
    draw();
  }

  // One finding

  function pieces(parts) {
    return parts.map(([kind, text]) => (kind ? make("span", { class: kind }, text) : text));
  }

  function textOf(hunk, row) {
    const found = row.text || (data.files[hunk.path] || {})[row.old];
    return found ? pieces(found) : [];
  }

  function unified(hunk) {
    const body = make("tbody");
    for (const row of hunk.rows) {
      const kind = row.sign === "+" ? "add" : row.sign === "-" ? "del" : "";
      body.append(make("tr", { class: kind }, make("td", { class: "number" }, String(row.old ?? "")),
        make("td", { class: "number" }, String(row.new ?? "")), make("td", { class: "sign" }, row.sign),
        make("td", { class: "text" }, ...textOf(hunk, row))));
    }
    return make("table", {}, body);
  }

  function sideBySide(hunk) {
    const body = make("tbody");
    let before = [], after = [];
    const cells = (row, kind, number) => row
      ? [make("td", { class: `number ${kind}` }, String(number)), make("td", { class: `text ${kind}` }, ...textOf(hunk, row))]
      : [make("td", { class: "number" }), make("td", { class: "text" })];
    const flush = () => {
      for (let index = 0; index < Math.max(before.length, after.length); index++) {
        const [old, next] = [before[index], after[index]];
        body.append(make("tr", {}, ...cells(old, "del", old?.old), ...cells(next, "add", next?.new)));
      }
      before = []; after = [];
    };
    for (const row of hunk.rows) {
      if (row.sign === "-") before.push(row);
      else if (row.sign === "+") after.push(row);
      else {
        flush();
        body.append(make("tr", {}, ...cells(row, "", row.old), ...cells(row, "", row.new)));  // stays on both sides
      }
    }
    flush();
    return make("table", { class: "sides" }, body);
  }

  function excerpt(path, line) {
    const lines = data.files[path];
    if (!lines) return make("p", { class: "empty" }, `${path} is not on this page`);
    const body = make("tbody");
    for (const number of Object.keys(lines).map(Number).filter((n) => Math.abs(n - line) <= 4).sort((a, b) => a - b)) {
      body.append(make("tr", { class: number === line ? "here" : "" }, make("td", { class: "number" }, String(number)),
        make("td", { class: "text" }, ...pieces(lines[number]))));
    }
    return make("div", { class: "file" }, make("h3", {}, `${path}:${line}`), make("div", { class: "code" }, make("table", {}, body)));
  }

  function trace(item) {
    if (!item.trace.length) return null;
    const ordered = make("ol", { class: "trace" });
    for (const hop of item.trace) {
      const entry = make("li");
      const button = make("button", { type: "button", "aria-expanded": "false" }, `${hop.path}:${hop.line}`);
      button.addEventListener("click", () => {
        const open = entry.querySelector(".file, .empty");
        if (open) open.remove();
        else entry.append(excerpt(hop.path, hop.line));
        button.setAttribute("aria-expanded", String(!open));
      });
      entry.append(button, ` ${hop.what}`);
      ordered.append(entry);
    }
    return make("div", {}, make("h3", {}, "Why"), ordered);
  }

  function hunks(item) {
    return item.hunks.map((hunk) => make("div", { class: "file" },
      make("h3", {}, hunk.scope ? `${hunk.path} - ${hunk.scope}` : hunk.path),
      make("div", { class: "code" }, sides ? sideBySide(hunk) : unified(hunk))));
  }

  function choice(item) {
    const buttons = [["accepted", "Accept (y)"], ["rejected", "Reject (n)"], ["undecided", "Undecided (x)"]].map(([value, label]) =>
      make("button", { type: "button", "data-choice": value, "aria-pressed": String(item.decision === value), onclick: () => choose([item], value) }, label));
    const note = make("textarea", { placeholder: "Note for the others (m)", "aria-label": "note", rows: 1 });
    note.value = item.note || "";
    note.addEventListener("change", () => { item.note = note.value; header(); if (data.served) save(); });
    return make("div", { class: "choice" }, ...buttons, note);
  }

  function describe(item) {
    const tags = [item.rule, item.confidence, item.status].map((text) => make("span", { class: `tag ${text}` }, text));
    if (item.findings > 1) tags.push(make("span", { class: "tag" }, `${item.findings} places`));
    const head = [make("h2", {}, item.title || item.why), make("div", {}, `${item.path}:${item.line}${item.scope ? `, in ${item.scope}` : ""}`),
      make("div", { class: "tags" }, ...tags), item.title ? make("p", {}, item.why) : null];
    if (item.reason) head.push(make("p", { class: "reason" }, `${item.status === "refused" ? "Refused" : "Unsafe"}: ${item.reason}`));
    if (item.requires.length) {
      const on = item.requires.map((id) => byId.get(id)).filter(Boolean).map((other) => `${other.path}:${other.line}`);
      head.push(make("p", { class: "reason" }, `Builds on the change at ${on.join(", ")}: accept that too.`));
    }
    if (item.edit) head.push(make("p", { class: "reason" }, "You have edited this change in the terminal; your version is applied."));
    return head;
  }

  function draw() {
    rows();
    const item = shown[at];
    if (!item) {
      detail.replaceChildren(make("p", { class: "empty" }, items.length ? "Nothing matches the filters." : "Nothing was found."));
      return;
    }
    const shownCode = item.hunks.length ? hunks(item) : [excerpt(item.path, item.line)];
    detail.replaceChildren(...[...describe(item), decidable(item) ? choice(item) : null, ...shownCode, trace(item)].filter(Boolean));
  }

  function header() {
    const all = items.filter(decidable), done = all.filter(decided);
    const accepted = all.filter((item) => item.decision === "accepted").length;
    get(".counts").textContent = `${done.length} of ${all.length} decided, ${accepted} accepted, ` +
      `${items.length - all.length} without a change`;
    get(".progress span").style.width = `${all.length ? (100 * done.length) / all.length : 100}%`;
    get(".progress").setAttribute("aria-valuemax", all.length);
    get(".progress").setAttribute("aria-valuenow", done.length);
  }

  // Keys and buttons

  const KEYS = [["j / k", "next, previous"], ["y", "accept, and go on"], ["n", "reject, and go on"], ["x", "undecided"], ["u", "undo"],
    ["m", "write a note"], ["s", "side by side, or unified"], ["t", "open all of the trace"], ["/", "search"], ["e", "export decisions"], ["?", "these keys"]];

  function help() {
    const box = get("dialog");
    const terms = KEYS.flatMap(([key, what]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, what)]);
    box.replaceChildren(make("h2", {}, "Keys"), make("dl", {}, ...terms), make("button", { type: "button", onclick: () => box.close() }, "Close"));
    box.showModal();
  }

  function decide(decision) {
    const item = shown[at];
    if (!item || !decidable(item)) return;
    choose([item], decision);
    if (decision !== "undecided") select(at + 1);
  }

  function view() {
    sides = !sides;
    get("[data-do=view]").textContent = sides ? "Unified" : "Side by side";
    draw();
  }

  function theme() {
    const dark = document.documentElement.dataset.theme
      ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
  }

  const actions = {
    theme, view, help, export: download, apply,
    "accept-shown": () => choose(shown, "accepted"), "reject-shown": () => choose(shown, "rejected"),
  };
  const pressed = {
    j: () => select(at + 1), k: () => select(at - 1), y: () => decide("accepted"), n: () => decide("rejected"),
    x: () => decide("undecided"), u: takeBack, s: view, e: download, "?": help, "/": () => form.elements.text.focus(),
    m: () => detail.querySelector("textarea")?.focus(), t: () => detail.querySelectorAll(".trace button").forEach((button) => button.click()),
    ArrowDown: () => select(at + 1), ArrowUp: () => select(at - 1), Home: () => select(0), End: () => select(shown.length - 1),
    PageDown: () => select(at + 10), PageUp: () => select(at - 10),
  };

  document.addEventListener("click", (event) => {
    const action = actions[event.target.dataset?.do];
    if (action) action();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input, textarea, select");
    if (event.key === "Escape" && typing) return event.target.blur();
    if (typing || event.ctrlKey || event.metaKey || event.altKey || get("dialog").open) return;
    const moves = ["ArrowDown", "ArrowUp", "Home", "End", "PageDown", "PageUp"].includes(event.key);
    if (moves && !list.contains(event.target) && event.target !== document.body) return; // they scroll the text there
    const action = pressed[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  list.addEventListener("scroll", rows);
  addEventListener("resize", rows);
  addEventListener("beforeunload", (event) => { if (!data.served && undo.length) event.preventDefault(); });
  addEventListener("beforeprint", () => {
    get(".print").replaceChildren(...shown.slice(0, PRINTED).map((item) => make("section", {}, ...describe(item).filter(Boolean),
      make("p", {}, decidable(item) ? `decision: ${item.decision}${item.note ? ` - ${item.note}` : ""}` : ""), ...hunks(item))),
      ...(shown.length > PRINTED ? [make("p", {}, `and ${shown.length - PRINTED} more`)] : []));
  });

  for (const name of ["rule", "confidence", "status", "decision"]) {
    const values = [...new Set(items.map((item) => item[name]).filter(Boolean))].sort();
    form.elements[name].append(make("option", { value: "" }, "all"), ...values.map((value) => make("option", { value }, value)));
    if (name === "decision") form.elements[name].replaceChildren(...["", "undecided", "accepted", "rejected"].map((value) => make("option", { value }, value || "all")));
  }
  get("h1").textContent = `spawnfix: ${data.title}`;
  get("[data-do=apply]").hidden = !data.served;
  header();
  filter();
  list.focus();
})();
