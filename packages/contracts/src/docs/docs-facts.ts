/** What the pages say about this installation. */
export interface DocsFacts {
  /** The operator's brand. */
  readonly name: string
  /** The brand as the name of a provider in the settings of clients, such as `acme-ai`. */
  readonly id: string
  /** Origin of control. */
  readonly publicUrl: string
  /** Origin of the gateway. */
  readonly gatewayUrl: string
}

/** The name of a provider for a brand: see {@link DocsFacts.id}. */
export const providerIdOf = (brand: string): string =>
  brand
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'gateway'

/**
 * A page as Markdown, without a title. `YOUR_API_KEY`, `MODEL`, `MESSAGES_MODEL` and `RESPONSES_MODEL` stand for values
 * of the reader: the last two are models of `/v1/messages` and `/v1/responses`.
 */
export interface DocsPage {
  readonly title: string
  /** One sentence for lists of pages. */
  readonly summary: string
  readonly write: (facts: DocsFacts) => string
}

/** Models for the examples of a page, by what stands for them in its text. */
export type ModelsOfExamples = Readonly<
  Partial<Record<'MODEL' | 'MESSAGES_MODEL' | 'RESPONSES_MODEL', string | undefined>>
>

/** Writes models into the examples of a page. What has no model stays. */
export const fillModels = (markdown: string, models: ModelsOfExamples): string =>
  markdown.replaceAll(/\b(MESSAGES_|RESPONSES_)?MODEL\b/g, (name) => models[name as keyof ModelsOfExamples] ?? name)

/** The id of a heading; an error code or an event type is its own id. */
export const headingId = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^-|-$/g, '')
