import { keptKey } from '../layout/kept-texts.ts'
import { sessionChannel } from '../layout/tabs.ts'

interface OfferedModel {
  readonly id: string
  readonly kind: string
  readonly is_included: boolean
  readonly endpoints: readonly string[] | null
}

/** Lets signed-in readers write a model of their plan and a key of theirs into the examples of the docs. */
export function fillExamples(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-reader]')
  const examples = [...document.querySelectorAll<HTMLElement>('[data-fill]')]
  const model = form?.querySelector('select')
  const key = form?.querySelector('input')
  if (form == null || model == null || key == null || examples.length === 0) return
  const shown = new Map(examples.map((example) => [example, example.textContent]))
  const fillKey = () => {
    for (const example of examples) {
      if (example.dataset.fill === 'key') example.textContent = key.value.trim() || (shown.get(example) ?? '')
    }
  }
  const readKey = () => {
    key.value = keptKey.read() ?? ''
    fillKey()
  }
  key.value = keptKey.read() ?? ''
  // The key is forgotten first: see the script of all pages.
  sessionChannel.addEventListener('message', readKey)
  // The browser kept this page as it was, maybe with the key of somebody who has signed out since.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) readKey()
  })
  key.addEventListener('input', () => {
    keptKey.keep(key.value.trim())
    fillKey()
  })
  form.addEventListener('submit', (event) => event.preventDefault())

  const offer = async () => {
    const response = await fetch('/api/models')
    // The session has ended: these are the docs of a visitor.
    if (response.status === 401) {
      keptKey.forget()
      readKey()
    }
    if (!response.ok) return
    const { models } = (await response.json()) as { models: readonly OfferedModel[] }
    const own = models.filter(({ is_included: isIncluded }) => isIncluded)
    model.replaceChildren(...own.filter(({ kind }) => kind === 'chat').map(({ id }) => new Option(id)))
    /** Each example has the chosen model, or another one that its endpoint offers. */
    const fillModels = () => {
      for (const example of examples) {
        const path = example.dataset.fill ?? ''
        const offered = own.filter(({ endpoints }) => endpoints?.includes(path))
        const [first] = offered
        if (first !== undefined) example.textContent = (offered.find(({ id }) => id === model.value) ?? first).id
      }
    }
    model.addEventListener('change', fillModels)
    fillModels()
    fillKey()
    form.hidden = false
  }
  // Without an answer the examples stay as they are.
  offer().catch(() => {})
}
