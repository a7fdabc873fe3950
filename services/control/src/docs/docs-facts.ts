/** What the pages say about this installation. */
export interface DocsFacts {
  /** The operator's brand. */
  readonly name: string
  /** Origin of control. */
  readonly publicUrl: string
  /** Origin of the gateway. */
  readonly gatewayUrl: string
  /** Where people get help; null for none. */
  readonly supportUrl: string | null
}

/** A page as Markdown, without a title. `MODEL` and `YOUR_API_KEY` stand for values of the reader. */
export interface DocsPage {
  readonly title: string
  /** One sentence for lists of pages. */
  readonly summary: string
  readonly write: (facts: DocsFacts) => string
}
