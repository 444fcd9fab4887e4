"use strict";
const table = document.getElementById("cases");
const body = table.tBodies[0];
const filters = document.getElementById("filters");
const { names, cases } = JSON.parse(document.getElementById("details").textContent);
const caseRows = [...body.rows];

// ---- drawing a case ----

function make(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function plain(value) {
  if (value === null || value === undefined) return "-";
  if (value === true || value === false) return value ? "yes" : "no";
  if (Array.isArray(value)) return JSON.stringify(value);
  if (Number.isInteger(value)) return value.toLocaleString("en");
  const tiny = typeof value === "number" && value !== 0 && Math.abs(value) < 1e-3;
  return tiny ? value.toExponential() : String(value);
}

function pairs(title, keys, values) {
  const shown = keys.map((key, at) => [key, values[at]]).filter(([, value]) =>
    value !== null && value !== undefined);
  if (!shown.length) return [];
  const box = make("div"), scroll = make("div", undefined, { class: "scroll" });
  const list = make("table");
  for (const [key, value] of shown) {
    const row = list.insertRow();
    row.append(make("td", key), make("td", plain(value), { class: "n" }));
  }
  scroll.append(list);
  box.append(make("h3", title), scroll);
  return [box];
}

function ubBar(limit, buffers) {
  const bar = make("div", undefined, { class: "bar" });
  buffers.filter(([, , , phase]) => phase === 1).forEach(([name, bytes, count], at) => {
    const share = 100 * bytes * count / limit;
    bar.append(make("div", share > 6 ? name : "", {
      title: `${name}: ${count} x ${plain(bytes)} bytes`,
      style: `width:${share.toFixed(2)}%;background:hsl(${(at * 47 + 200) % 360} 55% 55% / .45)`,
    }));
  });
  return [make("h3", `UB, ${plain(limit)} bytes`), bar];
}

function pipeBars(pipes) {
  const grid = make("div", undefined, { class: "pipes" });
  const whole = Math.max(...pipes.map(([, us]) => us), 1e-9);
  for (const [name, us] of pipes) {
    const cell = make("span");
    cell.append(make("i", undefined, { style: `width:${(100 * us / whole).toFixed(1)}%` }));
    grid.append(make("span", name), cell, make("span", `${us.toFixed(1)} us`));
  }
  return [make("h3", "Pipes, mean of the cores, cold"), grid];
}

function draw(one) {
  const cell = make("td", undefined, { colspan: table.tHead.rows[0].cells.length });
  if (one.reason) cell.append(make("p", one.reason));
  if (one.lines) cell.append(make("pre", one.lines.join("\n"), { class: "map" }));
  if (one.plan) cell.append(make("p", one.plan));
  if (one.ub) cell.append(...ubBar(one.ub, one.buffers));
  if (one.pipes) cell.append(...pipeBars(one.pipes));
  if (one.time) cell.append(make("pre", one.time.join("\n")));
  for (const [rule, message, details] of one.findings || []) {
    const line = make("p");
    line.append(make("span", rule, { class: "bad" }), `: ${message} `,
      make("span", details, { class: "soft" }));
    cell.append(line);
  }
  const columns = make("div", undefined, { class: "columns" });
  columns.append(...pairs("Worst element", names.worst, one.worst || []));
  for (const [name, values] of Object.entries(one.metrics || {}))
    columns.append(...pairs(`Accuracy of ${name}`, names.metrics, values));
  columns.append(...pairs("Counters", names.counters, one.counters || []),
    ...pairs("Buffers, bytes", (one.buffers || []).map(b => b[0]),
      (one.buffers || []).map(b => `${b[2]} x ${plain(b[1])}`)),
    ...pairs("Tiling data", names.fields, one.fields || []));
  cell.append(columns, make("pre", one.again || ""));
  const row = make("tr", undefined, { class: "detail" });
  row.append(cell);
  return row;
}

const opened = new Map();
function toggle(row, wanted) {
  const open = opened.get(row);
  if (open && wanted !== true) { open.remove(); opened.delete(row); }
  if (!open) {
    const detail = draw(cases[Number(row.id.slice(1))]);
    row.after(detail);
    opened.set(row, detail);
  }
}
body.addEventListener("click", event => {
  const button = event.target.closest("td.case button");
  if (button) toggle(button.closest("tr"));
});

// ---- order ----

const heads = [...table.tHead.rows[0].cells];
heads.forEach((head, column) => head.firstElementChild.addEventListener("click", () => {
  const up = head.getAttribute("aria-sort") !== "ascending";
  heads.forEach(other => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const numeric = head.classList.contains("n");
  const key = row => {
    const text = row.cells[column].textContent;
    return numeric ? (text === "-" ? -1 : parseFloat(text.replaceAll(",", ""))) : text;
  };
  const keyed = caseRows.map(row => [key(row), row]);
  keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0) * (up ? 1 : -1));
  body.append(...keyed.flatMap(([, row]) => opened.has(row) ? [row, opened.get(row)] : [row]));
}));

// ---- filters: in the address, so that a view can be kept ----

function filter() {
  const wanted = [...new FormData(filters)].filter(([, value]) => value);
  let count = 0;
  for (const row of caseRows) {
    const kept = wanted.every(([name, value]) => name === "text"
      ? row.cells[1].textContent.includes(value) : row.dataset[name] === value);
    row.hidden = !kept;
    if (opened.has(row)) opened.get(row).hidden = !kept;
    count += kept;
  }
  document.getElementById("count").textContent = `${count} of ${caseRows.length} cases`;
  return wanted;
}
filters.addEventListener("input", () =>
  history.replaceState(null, "", "#" + new URLSearchParams(filter())));
filters.addEventListener("submit", event => event.preventDefault());
document.querySelectorAll("#summary button").forEach(button =>
  button.addEventListener("click", () => {
    filters.reset();
    for (const [name, value] of Object.entries(button.dataset)) filters.elements[name].value = value;
    filters.dispatchEvent(new Event("input"));
    filters.scrollIntoView();
  }));

function follow() {
  const target = location.hash.slice(1);
  const row = caseRows.find(each => each.id === target);
  if (row) {
    toggle(row, true);
    row.scrollIntoView();
  } else if (target) {
    for (const [name, value] of new URLSearchParams(target))
      if (filters.elements[name]) filters.elements[name].value = value;
  }
  filter();
}
addEventListener("hashchange", follow);
follow();
