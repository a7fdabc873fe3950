import { type Found, groupForOthers } from '@tollgate/contracts/docs/search-docs.ts'
import { errorTable } from '@tollgate/contracts/errors/table.ts'
import { countOf, formatUsd } from '../format.ts'
import { priceOf, writeAmount } from '../plan-prices.ts'
import { modelPath, type SiteFacts, type SitePlan } from '../site-facts.ts'
import { guidePath } from './docs-layout.ts'
import type { Guide } from './docs-text.ts'
import { describeError, errorCodes, errorPath } from './error-pages.ts'
import type { Reference, ReferencedOperation, ReferenceGroup } from './reference.ts'
import { memberNames } from './schema-view.ts'

/**
 * Everything that can be found, the most general first.
 *
 * @param facts null without pages besides the docs
 * @param further more pages, with the words that find them
 */
export function indexDocs(
  guides: readonly Guide[],
  reference: Reference,
  facts: SiteFacts | null,
  further: readonly Found[]
): Found[] {
  const pages =
    facts === null
      ? []
      : [
          {
            title: 'Pricing',
            group: 'Page',
            href: '/pricing',
            text: 'Plans, prices, budgets and what happens at the cap',
            words: 'cost'
          },
          { title: 'Models', group: 'Page', href: '/models', text: 'All models with their prices' },
          {
            title: 'Where your requests go',
            group: 'Page',
            href: '/providers',
            text: 'What each provider does with prompts',
            words: 'data privacy training stored providers'
          },
          { title: 'Status', group: 'Page', href: '/status', text: 'Success and speed of each model' },
          { title: 'API reference', group: 'Page', href: '/docs/api', text: 'Every call with its members and errors' },
          ...facts.plans.map(indexPlan),
          ...further
        ]
  return [
    ...guides.map(({ name, title, summary, intro }) => ({
      ...{ title, group: 'Guide', href: guidePath(name), text: summary },
      words: intro
    })),
    ...pages,
    ...guides.flatMap(({ name, title: group, sections }) =>
      sections.map(({ title, id, text: words }) => ({
        ...{ title, group, href: `${guidePath(name)}#${id}`, text: '' },
        words
      }))
    ),
    ...reference.groups.filter(isForCustomers).flatMap(({ operations }) => operations.map(indexOperation)),
    ...errorCodes.map((code) => ({
      ...{ title: code, group: 'Error', href: errorPath(code), text: `${errorTable[code][0]}: ${describeError(code)}` },
      words: errorTable[code][2]
    })),
    ...(facts?.models ?? []).map(({ id, provider }) => ({
      title: id,
      group: 'Model',
      href: modelPath(id),
      text: provider
    })),
    ...reference.groups
      .filter((group) => !isForCustomers(group))
      .flatMap(({ name, operations }) => operations.map((one) => ({ ...indexOperation(one), group: name })))
  ]
}

/** A plan, with what a visitor compares first. */
const indexPlan = ({ name, monthUsd, modelIds, seats, prices }: SitePlan): Found => {
  const month = priceOf({ prices }, 'month')
  const price = month === undefined ? '' : `${writeAmount(month)} a month. `
  return {
    ...{ title: `${name} plan`, group: 'Plan', href: '/pricing' },
    text: `${price}Up to ${formatUsd(monthUsd)} of usage a month, ${countOf(modelIds.size, 'model')}${seats === 1 ? '' : `, ${seats ?? 'any number of'} seats`}`,
    words: 'price pricing'
  }
}

const isForCustomers = ({ name }: ReferenceGroup): boolean => name !== groupForOthers

/** A call is found by its path, its words, and the names of its parameters and members. */
function indexOperation({ api, href, method, path, operation }: ReferencedOperation): Found {
  const { summary, description = '', parameters = [], requestBody } = operation
  const named = api.document.components.schemas
  const members = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
    schema === undefined ? [] : memberNames(schema, named)
  )
  return {
    ...{ title: `${method} ${path}`, group: 'API', href, text: summary },
    words: [description, ...parameters.map(({ name }) => name), ...members].join(' ')
  }
}
