import { card, container, headCell, lastCell, numberCell, plainButton, rowCell, rowHead } from './class-names.ts'
import { nameProviders } from './default-texts.ts'
import { countOf, formatContext } from './format.ts'
import { type Html, html } from './html.ts'
import { keepLast } from './keep-last.ts'
import {
  abilities,
  abilitiesOf,
  isShown,
  type ModelsQuery,
  plansOf,
  type SortColumn,
  searchedText,
  sortModels,
  sortValue,
  writeModelsQuery
} from './models-query.ts'
import { alignPrices, describeUnit, modelMarks, planMark } from './price-text.ts'
import type { Page } from './site-context.ts'
import { modelPath, type SiteFacts, type SiteModel } from './site-facts.ts'

/**
 * `/models`: every offered model with its prices. The server filters and sorts by the query; a script does the same
 * without loading the page. So rows that a filter leaves out are in the page, too.
 */
export function modelsPage(facts: SiteFacts, query: ModelsQuery): Page {
  const providers = nameProviders(facts)
  const count = countOf(facts.models.length, 'model')
  const shown = facts.models.filter((model) => isShown(model, query, facts)).length
  const writeRow = rowWriter(facts)
  return {
    path: '/models',
    title: 'Models and prices',
    description: `${count}${providers === '' ? '' : ` from ${providers}`}, with context and prices per million tokens.`,
    body: html`<div class="${container} pt-10"><h1 class="text-3xl font-semibold tracking-tight">Models and prices</h1><p class="mt-2 max-w-prose text-ink-soft">${describeUnit(facts)} Each model shows the cheapest plan that includes it.</p>
${writeFilters(facts, query)}
<p class="mt-4 text-[0.8125rem] text-ink-soft" role="status" data-models-count data-total="${facts.models.length}">${shown === facts.models.length ? count : `${shown} of ${count}`}</p>
<div class="${card} wide-table mt-2" tabindex="0" role="region" aria-label="Models"><table class="w-full text-sm" data-models><thead class="border-b border-line"><tr>${columns.map((column) => writeHead(column, query))}</tr></thead><tbody class="divide-y divide-line">${sortModels(
      facts,
      query
    ).map((model) =>
      writeRow(model, isShown(model, query, facts))
    )}<tr data-none${shown > 0 && html` hidden`}><td colspan="${columns.length}" class="px-5 py-8 text-center text-ink-soft">No model matches. <a href="/models" class="font-medium text-accent hover:underline">Show all models</a></td></tr></tbody></table></div></div>`
  }
}

const field = 'min-h-11 rounded-lg border border-line-strong bg-surface px-3 py-2 text-sm'

function writeFilters({ providers, kinds, plans, models }: SiteFacts, query: ModelsQuery): Html {
  const hasFree = models.some(({ isFree }) => isFree)
  const option = (value: string, text: string, chosen: string) =>
    html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`
  const sort = query.sort === null ? '' : (query.isDescending ? '-' : '') + query.sort
  return html`<form action="/models" method="get" role="search" data-models-form class="mt-6 flex flex-wrap items-center gap-2">
<label class="w-full lg:w-auto lg:min-w-48 lg:flex-1"><span class="sr-only">Search models</span><input type="search" name="q" value="${query.text}" maxlength="100" placeholder="Search by name, purpose or endpoint" class="${field} w-full"></label>
<label><span class="sr-only">Plan</span><select name="plan" class="${field}">${option('', 'All plans', query.plan)}${plans.map(({ id, name, modelIds }) => option(id, `${name} plan (${modelIds.size})`, query.plan))}</select></label>
<label><span class="sr-only">Provider</span><select name="provider" class="${field}">${option('', 'All providers', query.provider)}${providers.map(({ id, name, count }) => option(id, `${name} (${count})`, query.provider))}</select></label>
<label><span class="sr-only">Can do</span><select name="can" class="${field}">${option('', 'Can do anything', query.can)}${Object.entries(abilities).map(([can, name]) => models.some((model) => abilitiesOf(model).some((one) => one === can)) && option(can, name, query.can))}</select></label>
<label><span class="sr-only">Kind</span><select name="kind" class="${field}">${option('', 'All kinds', query.kind)}${kinds.map((kind) => option(kind, kindNames[kind], query.kind))}</select></label>
<select name="sort" aria-label="Order" class="${field} md:hidden">${option('', 'Order: by provider', sort)}${columns.map(
    ({ name, sort: column, orders: [up, down] }) =>
      html`${option(column, `${name}: ${up}`, sort)}${option(`-${column}`, `${name}: ${down}`, sort)}`
  )}</select>
${hasFree && html`<label class="inline-flex min-h-11 items-center gap-2 px-1 text-sm"><input type="checkbox" name="free" value="1"${query.isFree && html` checked`} class="size-4 accent-accent">Costs nothing</label>`}
<button class="${plainButton} min-h-11" data-without-script>Filter</button></form>`
}

export const kindNames: Readonly<Record<SiteModel['kind'], string>> = {
  chat: 'Chat',
  completion: 'Completion',
  embedding: 'Embedding',
  moderation: 'Moderation'
}

interface Column {
  readonly name: string
  readonly sort: SortColumn
  readonly className: string
  /** What stands first upwards, and downwards. */
  readonly orders: readonly [up: string, down: string]
}

const ofWords = ['A to Z', 'Z to A'] as const
const ofSizes = ['smallest first', 'largest first'] as const
const ofPrices = ['lowest first', 'highest first'] as const

const columns: readonly Column[] = [
  { name: 'Model', sort: 'model', orders: ofWords, className: 'pl-5' },
  { name: 'Provider', sort: 'provider', orders: ofWords, className: 'hidden md:table-cell' },
  { name: 'Kind', sort: 'kind', orders: ofWords, className: 'hidden lg:table-cell' },
  { name: 'Plan', sort: 'plan', orders: ofSizes, className: 'hidden md:table-cell' },
  { name: 'Context', sort: 'context', orders: ofSizes, className: `${numberCell} hidden md:table-cell` },
  { name: 'Max. output', sort: 'longest', orders: ofSizes, className: `${numberCell} hidden xl:table-cell` },
  { name: 'Input', sort: 'input', orders: ofPrices, className: numberCell },
  { name: 'Cached', sort: 'cached', orders: ofPrices, className: `${numberCell} hidden md:table-cell` },
  { name: 'Output', sort: 'output', orders: ofPrices, className: `${numberCell} pr-5` }
]

/** The name of a column is a link: it sorts upwards, then downwards. */
function writeHead({ name, sort, className }: Column, query: ModelsQuery): Html {
  const isSorted = query.sort === sort
  const next = { ...query, sort, isDescending: isSorted && !query.isDescending }
  const order = isSorted ? (query.isDescending ? 'descending' : 'ascending') : null
  return html`<th scope="col"${order !== null && html` aria-sort="${order}"`} class="${headCell} ${className}"><a href="/models${writeModelsQuery(next)}" data-sort="${sort}" class="sort-link">${name}</a></th>`
}

/**
 * Writes the rows, the decimal points of a column below each other. Anybody can ask for any number of queries: they all
 * have the same rows, which are written once.
 */
const rowWriter = keepLast((facts: SiteFacts): ((model: SiteModel, isIn: boolean) => Html) => {
  const writeInput = alignPrices(facts.models, 'input')
  const writeCached = alignPrices(facts.models, 'cached_input')
  const writeOutput = alignPrices(facts.models, 'output')
  const write = (model: SiteModel, isIn: boolean) => {
    const { id, provider, kind, context_tokens: context, max_output_tokens: longest, plan } = model
    const values = columns.map(({ sort }) => sortValue(model, sort, facts))
    const soft = `${rowCell} text-ink-soft hidden`
    return html`<tr${!isIn && html` hidden`} data-text="${searchedText(model)}" data-provider="${model.owned_by}" data-kind="${kind}" data-can="${abilitiesOf(model).join(' ')}" data-plans="${plansOf(model, facts).join(' ')}"${model.isFree && html` data-free`} data-values="${JSON.stringify(values)}" class="hover:bg-sunken"><td class="${rowHead}"><a href="${modelPath(id)}" class="row-link">${id}</a> ${modelMarks(model, facts)}<span class="block pb-1 leading-snug text-[0.8125rem] text-ink-soft md:hidden">${provider} · ${plan.name} plan · ${formatContext(context)}</span></td><td class="${soft} md:table-cell">${provider}</td><td class="${soft} lg:table-cell">${kindNames[kind]}</td><td class="${soft} md:table-cell">${planMark(model)}</td><td class="${rowCell} ${numberCell} hidden md:table-cell">${formatContext(context)}</td><td class="${rowCell} ${numberCell} hidden xl:table-cell">${longest > 0 ? formatContext(longest) : '–'}</td><td class="${rowCell} ${numberCell}">${writeInput(model)}</td><td class="${rowCell} ${numberCell} hidden md:table-cell">${writeCached(model)}</td><td class="${rowCell} ${numberCell} ${lastCell}">${writeOutput(model)}</td></tr>`
  }
  const kept = { shown: new Map<SiteModel, Html>(), hidden: new Map<SiteModel, Html>() }
  return (model, isIn) => {
    const rows = kept[isIn ? 'shown' : 'hidden']
    const row = rows.get(model) ?? write(model, isIn)
    rows.set(model, row)
    return row
  }
})
