import { type PageHead, pageHeads } from '../ui/page-heads.ts'

/** The pages of the docs, by the last part of their addresses. The router needs the list, but not the texts. */
export const docsPages = [
  ['quickstart', 'Quickstart'],
  ['clients', 'SDKs and coding agents'],
  ['errors', 'Errors'],
  ['limits', 'Limits'],
  ['budgets', 'Budgets'],
  ['webhooks', 'Webhooks']
] as const

export const isDocsPage = (name: string): boolean => docsPages.some(([page]) => page === name)

/** The address of a page. */
export const docsAddress = (page: string): string => `/dashboard/docs/${page}`

/** Where control serves the text of a page. */
export const textAddress = (page: string): string => `/api/docs/${page}.md`

/** The API reference, and the calls of operators: pages of control outside the dashboard. */
export const apiReferencePath = '/docs/api'
export const operatorsReferencePath = '/docs/api/operators'

/** The title and the description of a page. */
export const headOf = (page: string): PageHead => ({
  title: docsPages.find(([name]) => name === page)?.[1] ?? page,
  description: pageHeads['/dashboard/docs'].description
})

/** Models of the reader for the examples of a page, by what stands for them in its text. */
export type ModelsOfExamples = Readonly<Partial<Record<'MODEL' | 'MESSAGES_MODEL' | 'RESPONSES_MODEL', string>>>

/** The Markdown of a page without its title, which the page itself shows, and with models of the reader. */
export const fillPage = (markdown: string, models: ModelsOfExamples): string =>
  markdown
    .replace(/^# .*\n+/, '')
    .replaceAll(/\b(MESSAGES_|RESPONSES_)?MODEL\b/g, (name) => models[name as keyof ModelsOfExamples] ?? name)

/** The id of a heading; an error code or an event type is its own id. */
export const headingId = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^-|-$/g, '')
