import { fillModels, type ModelsOfExamples } from '@tollgate/contracts/docs/docs-facts.ts'
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

/** The Markdown of a page without its title, which the page itself shows, and with models of the reader. */
export const fillPage = (markdown: string, models: ModelsOfExamples): string =>
  fillModels(markdown.replace(/^# .*\n+/, ''), models)
