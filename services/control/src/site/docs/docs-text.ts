import { type DocsFacts, fillModels, headingId, type ModelsOfExamples } from '@tollgate/contracts/docs/docs-facts.ts'
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
export const writeGuides = (docs: DocsFacts, models: ModelsOfExamples): Guide[] =>
  Object.entries(docsPages).map(([name, { title, summary, write }]) => ({
    name,
    title,
    summary,
    markdown: fillModels(write(docs).trim(), models)
  }))

/** A model that each kind of example works with, by what stands for it. */
export function exampleModels({ example, models }: SiteFacts): ModelsOfExamples {
  const at = (path: string) => models.find(({ endpoints }) => endpoints?.includes(path))?.id
  return {
    MODEL: example?.id,
    MESSAGES_MODEL: at('/v1/messages'),
    RESPONSES_MODEL: at('/v1/responses')
  }
}

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
