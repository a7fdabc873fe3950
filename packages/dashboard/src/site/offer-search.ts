import { createSearch, type Found, type Search } from '@tollgate/contracts/docs/search-docs.ts'

const maxShown = 12

/** Opens a search over docs, errors, calls and models with Ctrl-K, or from the field beside the docs. */
export function offerSearch(): void {
  let search: Promise<Search> | null = null
  const readSearch = () => {
    search ??= fetch('/docs/search.json').then(async (response) =>
      createSearch((await response.json()) as readonly Found[])
    )
    // A failed read is tried again.
    search.catch(() => {
      search = null
    })
    return search
  }

  const dialog = make('dialog', 'search-dialog')
  const input = make('input', 'search-input')
  input.type = 'search'
  input.placeholder = 'Search docs, prices, errors and models'
  input.setAttribute('aria-label', 'Search')
  const list = make('ul', 'search-results')
  const note = make('p', 'search-note')
  note.setAttribute('aria-live', 'polite')
  dialog.append(input, list, note)
  document.body.append(dialog)

  const links = () => [...list.querySelectorAll('a')]
  const mark = (at: number) => {
    for (const [index, link] of links().entries()) link.toggleAttribute('data-marked', index === at)
    links()[at]?.scrollIntoView({ block: 'nearest' })
  }
  const marked = () => links().findIndex((link) => link.hasAttribute('data-marked'))

  const show = async () => {
    const words = input.value
    try {
      const found = (await readSearch())(words, maxShown)
      if (words !== input.value) return
      list.replaceChildren(...found.map(toItem))
      note.textContent = words.trim() === '' || found.length > 0 ? '' : 'Nothing has all of these words.'
      mark(0)
    } catch {
      note.textContent = 'The search could not be loaded. Try again.'
    }
  }

  input.addEventListener('input', show)
  dialog.addEventListener('keydown', (event) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined) {
      event.preventDefault()
      mark(Math.min(links().length - 1, Math.max(0, marked() + step)))
    } else if (event.key === 'Enter' && document.activeElement === input) {
      event.preventDefault()
      links()[marked()]?.click()
    }
  })
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog || target instanceof HTMLAnchorElement) dialog.close()
  })
  const open = () => {
    dialog.showModal()
    input.select()
    void show()
  }
  for (const link of document.querySelectorAll('[data-open-search]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault()
      open()
    })
  }
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    if (!dialog.open) open()
  })
}

function toItem({ title, group, href, text }: Found): HTMLLIElement {
  const [item, link] = [document.createElement('li'), document.createElement('a')]
  link.href = href
  link.append(make('strong', '', title), make('span', '', text === '' ? group : `${group} · ${text}`))
  item.append(link)
  return item
}

function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  look: string,
  text = ''
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  if (look !== '') element.className = look
  element.textContent = text
  return element
}
