/** Filters and sorts the table of models without loading the page. The address follows, so that it can be shared. */
export function filterModels(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-models-form]')
  const table = document.querySelector<HTMLTableElement>('table[data-models]')
  const count = document.querySelector<HTMLElement>('[data-models-count]')
  const none = document.querySelector<HTMLElement>('tr[data-none]')
  if (form === null || table === null || count === null || none === null) return
  const rows = [...table.querySelectorAll<HTMLTableRowElement>('tbody tr[data-values]')]
  const heads = [...table.querySelectorAll<HTMLAnchorElement>('a[data-sort]')]
  let sort = new URLSearchParams(window.location.search).get('sort') ?? ''

  const apply = () => {
    const data = new FormData(form)
    const fieldOf = (name: string) => String(data.get(name) ?? '').trim()
    const words = fieldOf('q').toLowerCase().split(/\s+/)
    const [provider, kind, isFree] = [fieldOf('provider'), fieldOf('kind'), fieldOf('free') !== '']
    let shown = 0
    for (const row of rows) {
      const { text = '', provider: maker, kind: own, free } = row.dataset
      row.hidden =
        (provider !== '' && maker !== provider) ||
        (kind !== '' && own !== kind) ||
        (isFree && free === undefined) ||
        !words.every((word) => text.includes(word))
      if (!row.hidden) shown += 1
    }
    none.hidden = shown > 0
    const total = `${count.dataset.total} models`
    count.textContent = shown === rows.length ? total : `${shown} of ${total}`
    const query = new URLSearchParams()
    for (const name of ['q', 'provider', 'kind', 'free']) if (fieldOf(name) !== '') query.set(name, fieldOf(name))
    if (sort !== '') query.set('sort', sort)
    window.history.replaceState(null, '', query.size === 0 ? '/models' : `/models?${query}`)
  }

  const order = (head: HTMLAnchorElement) => {
    const column = head.dataset.sort ?? ''
    const sign = sort === column ? -1 : 1
    sort = sign < 0 ? `-${column}` : column
    const at = heads.indexOf(head)
    const values = new Map(rows.map((row) => [row, (JSON.parse(row.dataset.values ?? '[]') as unknown[])[at]]))
    const sorted = [...rows].sort((a, b) => {
      const [one, other] = [values.get(a) as number, values.get(b) as number]
      return one === other ? 0 : one < other ? -sign : sign
    })
    none.before(...sorted)
    for (const each of heads) each.closest('th')?.removeAttribute('aria-sort')
    head.closest('th')?.setAttribute('aria-sort', sign < 0 ? 'descending' : 'ascending')
    apply()
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
      order(head)
    })
  }
}
