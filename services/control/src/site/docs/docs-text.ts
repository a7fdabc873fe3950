import { type DocsFacts, headingId } from '@tollgate/contracts/docs/docs-facts.ts'
import { docsPages } from '@tollgate/contracts/docs/docs-pages.ts'
import { escapeText, type Html, html, trustHtml } from '../html.ts'
import { renderMarkdown } from '../markdown.ts'
import type { SiteFacts } from '../site-facts.ts'

/** A guide, written for this installation. */
export interface Guide {
  /** The last part of its address. */
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly body: Html
  /** The plain text before the first section. */
  readonly intro: string
  readonly sections: readonly GuideSection[]
}

/** A section of a guide, for the search. */
export interface GuideSection {
  readonly title: string
  readonly id: string
  readonly text: string
}

/** A model for the examples of each endpoint, by its path. */
export type ExampleModels = Readonly<Record<string, string>>

/** The guides, in their order. They name real models, and addresses of the public pages. */
export const writeGuides = (docs: DocsFacts, models: ExampleModels): Guide[] =>
  Object.entries(docsPages).map(([name, { title, summary, write }]) => {
    const markdown = write(docs).trim()
    // Each error has a page of its own. Control lists them.
    const shown = name === 'errors' ? markdown.split(/^## /m, 1)[0]! : markdown
    return {
      ...{ name, title, summary },
      body: renderGuide(shown, models),
      ...sectionsOf(shown)
    }
  })

/** Models for examples: the usual one where it is offered, else the first one. */
export function exampleModels({ example, models }: SiteFacts): ExampleModels {
  const paths = new Set(models.flatMap(({ endpoints }) => endpoints ?? []))
  return Object.fromEntries(
    [...paths].map((path) => {
      const offered = models.filter(({ endpoints }) => endpoints?.includes(path))
      return [path, (offered.find(({ id }) => id === example?.id) ?? offered[0])!.id]
    })
  )
}

/** The endpoint for whose model each word of a guide stands. */
const pathsOfWords: Readonly<Record<string, string>> = {
  MODEL: '/v1/chat/completions',
  MESSAGES_MODEL: '/v1/messages',
  RESPONSES_MODEL: '/v1/responses',
  EMBEDDINGS_MODEL: '/v1/embeddings'
}
const placeholders = /\b(?:(?:MESSAGES_|RESPONSES_|EMBEDDINGS_)?MODEL|YOUR_API_KEY)\b/g

/** The name of a model in an example. Signed-in readers can replace it with theirs: see the script's reader.ts. */
const fillableModel = (path: string, models: ExampleModels): Html =>
  html`<span data-fill="${path}">${models[path] ?? 'YOUR_MODEL'}</span>`

/** A key in an example, which signed-in readers can replace with theirs. */
const fillableKey = html`<span data-fill="key">YOUR_API_KEY</span>`

/**
 * Marks in the text of an example what readers can fill in.
 *
 * @param path of the call. Its model is one of the endpoint that the path begins with, else one for chats
 */
export function fillIn(text: string, path: string, models: ExampleModels): Html {
  const endpoint = Object.keys(models).find((one) => path.startsWith(one)) ?? '/v1/chat/completions'
  const fill = (part: string) => {
    if (part === 'MODEL') return fillableModel(endpoint, models)
    return part === 'YOUR_API_KEY' ? fillableKey : part
  }
  return html`${text.split(/\b(MODEL|YOUR_API_KEY)\b/).map(fill)}`
}

/** Renders a guide, with an id for each section, and marks what readers can fill in. */
function renderGuide(markdown: string, models: ExampleModels): Html {
  const rendered = renderMarkdown(markdown)
    .toString()
    .replaceAll(/<h2>(.*?)<\/h2>/g, (_, inner: string) => {
      const id = headingId(inner.replaceAll(/<[^>]*>/g, ''))
      return `<h2 id="${escapeText(id)}">${inner}</h2>`
    })
    .replaceAll(placeholders, (word) => {
      const path = pathsOfWords[word]
      return (path === undefined ? fillableKey : fillableModel(path, models)).toString()
    })
  return trustHtml(rendered)
}

function sectionsOf(markdown: string): Pick<Guide, 'intro' | 'sections'> {
  const [intro = '', ...parts] = markdown
    .replaceAll(/^```.*?^```/gms, (code) => code.replaceAll(/^## /gm, ''))
    .split(/^## /m)
  const sections = parts.map((section) => {
    const [title = '', ...lines] = section.split('\n')
    return { title: plainOf(title), id: headingId(title), text: plainOf(lines.join(' ')) }
  })
  return { intro: plainOf(intro), sections }
}

/** The words of Markdown, without its signs and the addresses of links. */
const plainOf = (markdown: string): string =>
  markdown
    .replaceAll(/\]\([^)]*\)/g, ' ')
    .replaceAll(/[`*|[\]#]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
