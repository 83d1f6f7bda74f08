const body = document.querySelector('#repos tbody'), rows = Array.from(body.rows);
const search = document.querySelector('#search'), status = document.querySelector('#status');
const rule = document.querySelector('#rule'), count = document.querySelector('#count');
function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of rows) {
    const text = row.dataset.text || (row.dataset.text = row.textContent.toLowerCase());
    row.hidden = !((!status.value || row.dataset.status === status.value)
      && (!rule.value || (row.dataset.rules || '').split(' ').includes(rule.value))
      && words.every(word => text.includes(word)));
    shown += !row.hidden;
  }
  count.textContent = shown + ' of ' + rows.length;
}
for (const control of [search, status, rule]) control.addEventListener('input', filter);
document.querySelectorAll('#repos th button').forEach(button => button.addEventListener('click', () => {
  const head = button.parentElement, column = head.cellIndex, up = head.getAttribute('aria-sort') !== 'ascending';
  document.querySelectorAll('#repos th').forEach(other => other.removeAttribute('aria-sort'));
  head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
  const number = head.classList.contains('n'), key = new Map();
  for (const row of rows) {
    const text = row.cells[column].textContent;
    key.set(row, number ? parseFloat(text) || 0 : text.toLowerCase());
  }
  rows.sort((a, b) => (key.get(a) < key.get(b) ? -1 : key.get(a) > key.get(b) ? 1 : 0) * (up ? 1 : -1));
  body.append(...rows);
}));
filter();
