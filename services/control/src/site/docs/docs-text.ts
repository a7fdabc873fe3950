import type { DocsFacts } from '@tollgate/contracts/docs/docs-facts.ts'
import { docsPages } from '@tollgate/contracts/docs/docs-pages.ts'
import { type Html, trustHtml } from '../html.ts'
import { renderMarkdown } from '../markdown.ts'
import type { SiteFacts } from '../site-facts.ts'

/** A guide, written for this installation. */
export interface Guide {
  /** The last part of its address. */
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly markdown: string
}

/** The guides, in their order. They name real models, and addresses of the public pages. */
export function writeGuides(docs: DocsFacts, facts: SiteFacts): Guide[] {
  const models = exampleModels(facts)
  return Object.entries(docsPages).map(([name, { title, summary, write }]) => ({
    name,
    title,
    summary,
    markdown: write(docs)
      .trim()
      .replaceAll(/\b(MESSAGES_|RESPONSES_)?MODEL\b/g, (placeholder) => models[placeholder] ?? placeholder)
  }))
}

/** A model that each kind of example works with, by what stands for it. */
function exampleModels({ example, models }: SiteFacts): Readonly<Record<string, string | undefined>> {
  const at = (path: string) => models.find(({ endpoints }) => endpoints?.includes(path))?.id
  return {
    MODEL: example?.id,
    MESSAGES_MODEL: at('/v1/messages'),
    RESPONSES_MODEL: at('/v1/responses')
  }
}

/** The id of a heading; an error code or an event type is its own id. */
export const headingId = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^-|-$/g, '')

/** Renders a guide, with an id for each section. */
export const renderGuide = (markdown: string): Html =>
  trustHtml(
    renderMarkdown(markdown)
      .toString()
      .replaceAll(/<h2>(.*?)<\/h2>/g, (_, inner: string) => {
        const id = headingId(inner.replaceAll(/<[^>]*>/g, ''))
        return `<h2 id="${id}">${inner}</h2>`
      })
  )

/** The sections of a guide: their headings as plain text. */
export const sectionsOf = (markdown: string): string[] =>
  markdown
    .replaceAll(/^```.*?^```/gms, '')
    .split('\n')
    .flatMap((line) => /^## (.+)$/.exec(line)?.[1] ?? [])
