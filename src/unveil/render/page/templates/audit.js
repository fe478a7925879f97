// Tables sort by the head that is pressed; pressed again, the other way round.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => head.querySelector("button").addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach((one) => one.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const key = (row) => {
      const cell = row.cells[place];
      if (!("value" in cell.dataset)) return cell.textContent.trim() || null;
      const value = cell.dataset.value;
      return value === "infinite" ? Infinity : value === "" ? null : Number(value);
    };
    const compare = (a, b) => {
      if (a === null || b === null) return (a === null) - (b === null);  // unknown ones last
      const order = typeof a === "number" ? a - b : a.localeCompare(b, undefined, {numeric: true});
      return down ? -order : order;
    };
    const rows = [...body.rows].map((row, n) => [key(row), n, row]);
    rows.sort((a, b) => compare(a[0], b[0]) || a[1] - b[1]);
    body.append(...rows.map((one) => one[2]));
  }));
}
// What is folded is printed all the same.
const folded = () => document.querySelectorAll("details:not([open])");
addEventListener("beforeprint", () => folded().forEach((one) => { one.open = true; one.dataset.folded = ""; }));
addEventListener("afterprint", () => document.querySelectorAll("details[data-folded]").forEach((one) => { one.open = false; delete one.dataset.folded; }));
