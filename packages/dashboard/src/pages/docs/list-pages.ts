/** The pages of the docs, by the last part of their addresses; control serves their texts. */
export const docsPages = [
  ['quickstart', 'Quickstart'],
  ['clients', 'SDKs and coding agents'],
  ['errors', 'Errors'],
  ['limits', 'Limits'],
  ['budgets', 'Budgets'],
  ['webhooks', 'Webhooks']
] as const

export const isDocsPage = (name: string): boolean => docsPages.some(([page]) => page === name)

/** The Markdown of a page without its title, which the page itself shows, and with a model of the reader. */
export const fillPage = (markdown: string, model: string): string =>
  markdown.replace(/^# .*\n+/, '').replaceAll(/\bMODEL\b/g, () => model)

/** The id of a heading; an error code or an event type is its own id. */
export const headingId = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^-|-$/g, '')
