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
  /** The page that lists the models: a public one, or that of the dashboard. */
  readonly modelsUrl: string
  /** The page that says what providers do with prompts; null without public pages. */
  readonly providersUrl: string | null
  /** Days that the request log is kept besides the present one. */
  readonly requestLogDays: number
}

/** The name of a provider for a brand: see {@link DocsFacts.id}. */
export const providerIdOf = (brand: string): string =>
  brand
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'gateway'

/**
 * A page as Markdown, without a title. `YOUR_API_KEY` stands for a key of the reader, and `MODEL` for a model.
 * `MESSAGES_MODEL`, `RESPONSES_MODEL` and `EMBEDDINGS_MODEL` are models of those endpoints.
 */
export interface DocsPage {
  readonly title: string
  /** One sentence for lists of pages. */
  readonly summary: string
  readonly write: (facts: DocsFacts) => string
}

/** What an installation keeps of prompts and answers. Markdown. */
export const storedHere =
  'Prompts and answers are not stored here. Only an answer to a request with an `Idempotency-Key` is kept for 10 minutes, encrypted, so that a repeat gets it.'

/** The same in a sentence. */
export const storedInShort = 'Prompts are never stored here, and answers only for repeats that you ask for.'

/** The id of a heading; an error code or an event type is its own id. */
export const headingId = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^-|-$/g, '')
