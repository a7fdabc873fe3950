import type { DocsFacts, DocsPage } from './docs-facts.ts'
import { budgets } from './pages/budgets.ts'
import { clients } from './pages/clients.ts'
import { errors } from './pages/errors.ts'
import { limits } from './pages/limits.ts'
import { quickstart } from './pages/quickstart.ts'
import { webhooks } from './pages/webhooks.ts'

/** The pages for customers by the last part of their addresses, in order. Control serves them, and the dashboard shows them. */
export const docsPages: Readonly<Record<string, DocsPage>> = { quickstart, clients, errors, limits, budgets, webhooks }

/** A page as a whole Markdown document. */
export const renderPage = ({ title, write }: DocsPage, facts: DocsFacts): string =>
  `# ${title}\n\n${write(facts).trim()}\n`
