/** The fields that filter, by their names in the address. */
const filters = ['q', 'plan', 'provider', 'can', 'kind', 'free'] as const

/** Filters and sorts the table of models without loading the page. The address follows, so that it can be shared. */
export function filterModels(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-models-form]')
  const table = document.querySelector<HTMLTableElement>('table[data-models]')
  const count = document.querySelector<HTMLElement>('[data-models-count]')
  const none = document.querySelector<HTMLElement>('tr[data-none]')
  const order = form?.querySelector<HTMLSelectElement>('select[name=sort]')
  if (form === null || table === null || count === null || none === null || !order) return
  const rows = [...table.querySelectorAll<HTMLTableRowElement>('tbody tr[data-values]')]
  const heads = [...table.querySelectorAll<HTMLAnchorElement>('a[data-sort]')]
  let sorted = order.value

  const fieldOf = (name: string) => String(new FormData(form).get(name) ?? '').trim()

  const filter = () => {
    const [text = '', plan = '', provider, can = '', kind, free] = filters.map(fieldOf)
    const words = text.toLowerCase().split(/\s+/)
    let shown = 0
    for (const row of rows) {
      const { text: own = '', plans = '', can: abilities = '', ...of } = row.dataset
      row.hidden =
        (plan !== '' && !plans.split(' ').includes(plan)) ||
        (provider !== '' && of.provider !== provider) ||
        (can !== '' && !abilities.split(' ').includes(can)) ||
        (kind !== '' && of.kind !== kind) ||
        (free !== '' && of.free === undefined) ||
        !words.every((word) => own.includes(word))
      if (!row.hidden) shown += 1
    }
    none.hidden = shown > 0
    const total = `${count.dataset.total} models`
    count.textContent = shown === rows.length ? total : `${shown} of ${total}`
  }

  const sort = () => {
    if (order.value === sorted) return
    sorted = order.value
    const [column, sign] = [sorted.replace(/^-/, ''), sorted.startsWith('-') ? -1 : 1]
    // The table's own order is not in the page once another one was loaded.
    if (sorted === '') return window.location.reload()
    const at = heads.findIndex(({ dataset }) => dataset.sort === column)
    const values = new Map(rows.map((row) => [row, (JSON.parse(row.dataset.values ?? '[]') as unknown[])[at]]))
    const ordered = rows.toSorted((a, b) => {
      const [one, other] = [values.get(a) as number, values.get(b) as number]
      return one === other ? 0 : one < other ? -sign : sign
    })
    none.before(...ordered)
    for (const [index, head] of heads.entries()) {
      const cell = head.closest('th')
      if (index === at) cell?.setAttribute('aria-sort', sign < 0 ? 'descending' : 'ascending')
      else cell?.removeAttribute('aria-sort')
    }
  }

  const apply = () => {
    filter()
    const query = new URLSearchParams()
    for (const name of [...filters, 'sort']) if (fieldOf(name) !== '') query.set(name, fieldOf(name))
    window.history.replaceState(null, '', query.size === 0 ? '/models' : `/models?${query}`)
    sort()
  }

  for (const button of form.querySelectorAll<HTMLElement>('[data-without-script]')) button.hidden = true
  form.addEventListener('input', apply)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    apply()
  })
  for (const head of heads) {
    head.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      const column = head.dataset.sort ?? ''
      order.value = order.value === column ? `-${column}` : column
      apply()
    })
  }
}
