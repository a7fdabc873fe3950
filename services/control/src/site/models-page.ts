import { card, container, denseCell, headCell, numberCell, plainButton } from './class-names.ts'
import { nameProviders } from './default-texts.ts'
import { countOf, formatSize } from './format.ts'
import { type Html, html } from './html.ts'
import {
  isShown,
  type ModelsQuery,
  type SortColumn,
  searchedText,
  sortModels,
  sortValue,
  writeModelsQuery
} from './models-query.ts'
import { modelMarks, usualPrice } from './price-text.ts'
import type { Page } from './site-context.ts'
import { modelPath, type SiteFacts, type SiteModel } from './site-facts.ts'

/**
 * `/models`: every offered model with its prices. The server filters and sorts by the query; a script does the same
 * without loading the page. So rows that a filter leaves out are in the page, too.
 */
export function modelsPage(facts: SiteFacts, query: ModelsQuery): Page {
  const makers = nameProviders(facts)
  const count = countOf(facts.models.length, 'model')
  const shown = facts.models.filter((model) => isShown(model, query)).length
  return {
    path: '/models',
    title: 'Models and prices',
    description: `${count}${makers === '' ? '' : ` of ${makers}`}, with context and prices per million tokens.`,
    body: html`<div class="${container} pt-10"><h1 class="text-3xl font-semibold tracking-tight">Models and prices</h1><p class="mt-2 max-w-prose text-ink-soft">Prices in USD per million tokens, as an account of the free plan pays them now. Each model has a page with all its prices.</p>
${writeFilters(facts, query)}
<p class="mt-4 text-[0.8125rem] text-ink-soft" role="status" data-models-count data-total="${facts.models.length}">${shown === facts.models.length ? count : `${shown} of ${count}`}</p>
<div class="${card} wide-table mt-2" tabindex="0" role="region" aria-label="Models"><table class="w-full text-sm" data-models><thead class="border-b border-line"><tr>${columns.map((column) => writeHead(column, query))}</tr></thead><tbody class="divide-y divide-line">${sortModels(
      facts.models,
      query
    ).map((model) =>
      keptRow(model, isShown(model, query))
    )}<tr data-none${shown > 0 && html` hidden`}><td colspan="${columns.length}" class="px-5 py-8 text-center text-ink-soft">No model matches. <a href="/models" class="font-medium text-accent hover:underline">Show all models</a></td></tr></tbody></table></div></div>`
  }
}

const field = 'min-h-10 rounded-lg border border-line-strong bg-surface px-3 py-2 text-sm'

function writeFilters({ providers, kinds, models }: SiteFacts, query: ModelsQuery): Html {
  const hasFree = models.some(({ isFree }) => isFree)
  const option = (value: string, text: string, chosen: string) =>
    html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`
  return html`<form action="/models" method="get" role="search" data-models-form class="mt-6 flex flex-wrap items-center gap-2">
<label class="w-full sm:w-auto sm:min-w-48 sm:flex-1"><span class="sr-only">Search models</span><input type="search" name="q" value="${query.text}" maxlength="100" placeholder="Search by name, maker or endpoint" class="${field} w-full"></label>
<label><span class="sr-only">Maker</span><select name="provider" class="${field}">${option('', 'All makers', query.provider)}${providers.map(({ id, name, count }) => option(id, `${name} (${count})`, query.provider))}</select></label>
<label><span class="sr-only">Kind</span><select name="kind" class="${field}">${option('', 'All kinds', query.kind)}${kinds.map((kind) => option(kind, kindNames[kind], query.kind))}</select></label>
${hasFree && html`<label class="inline-flex min-h-10 items-center gap-2 px-1 text-sm"><input type="checkbox" name="free" value="1"${query.isFree && html` checked`} class="size-4 accent-accent">Free models</label>`}
${query.sort !== null && html`<input type="hidden" name="sort" value="${(query.isDescending ? '-' : '') + query.sort}">`}
<button class="${plainButton}" data-without-script>Filter</button></form>`
}

export const kindNames: Readonly<Record<SiteModel['kind'], string>> = {
  chat: 'Chat',
  completion: 'Completion',
  embedding: 'Embedding',
  moderation: 'Moderation'
}

interface Column {
  readonly name: string
  readonly sort: SortColumn | null
  readonly className: string
}

const columns: readonly Column[] = [
  { name: 'Model', sort: 'model', className: 'pl-5' },
  { name: 'Maker', sort: 'provider', className: 'hidden md:table-cell' },
  { name: 'Kind', sort: null, className: 'hidden lg:table-cell' },
  { name: 'Context', sort: 'context', className: `${numberCell} hidden sm:table-cell` },
  { name: 'Input', sort: 'input', className: numberCell },
  { name: 'Cached', sort: 'cached', className: `${numberCell} hidden md:table-cell` },
  { name: 'Output', sort: 'output', className: `${numberCell} pr-5` }
]

/** A column that sorts is a link: first upwards, then downwards. */
function writeHead({ name, sort, className }: Column, query: ModelsQuery): Html {
  if (sort === null) return html`<th scope="col" class="${headCell} ${className}">${name}</th>`
  const isSorted = query.sort === sort
  const next = { ...query, sort, isDescending: isSorted && !query.isDescending }
  const order = isSorted ? (query.isDescending ? 'descending' : 'ascending') : null
  return html`<th scope="col"${order !== null && html` aria-sort="${order}"`} class="${headCell} ${className}"><a href="/models${writeModelsQuery(next)}" data-sort="${sort}" class="sort-link hover:text-ink">${name}</a></th>`
}

type Row = 'shown' | 'hidden'
/** The rows of each model that is offered now: anybody can ask for any number of queries, which all have the same rows. */
const rows = new WeakMap<SiteModel, Partial<Record<Row, Html>>>()

function keptRow(model: SiteModel, isIn: boolean): Html {
  const kept = rows.get(model) ?? {}
  rows.set(model, kept)
  kept[isIn ? 'shown' : 'hidden'] ??= writeRow(model, isIn)
  return kept[isIn ? 'shown' : 'hidden']!
}

function writeRow(model: SiteModel, isIn: boolean): Html {
  const { id, provider, kind, context_tokens: context } = model
  const values = columns.flatMap(({ sort }) => (sort === null ? [] : [sortValue(model, sort)]))
  return html`<tr${!isIn && html` hidden`} data-text="${searchedText(model)}" data-provider="${model.owned_by}" data-kind="${kind}"${model.isFree && html` data-free`} data-values="${JSON.stringify(values)}" class="hover:bg-sunken"><td class="${denseCell} pl-5"><a href="${modelPath(id)}" class="font-mono font-medium [overflow-wrap:anywhere] hover:underline">${id}</a> ${modelMarks(model)}<span class="block text-[0.8125rem] text-ink-soft md:hidden">${provider}<span class="sm:hidden"> · ${formatSize(context)}</span></span></td><td class="${denseCell} hidden text-ink-soft md:table-cell">${provider}</td><td class="${denseCell} hidden text-ink-soft lg:table-cell">${kindNames[kind]}</td><td class="${denseCell} ${numberCell} hidden sm:table-cell">${formatSize(context)}</td><td class="${denseCell} ${numberCell}">${usualPrice(model, 'input')}</td><td class="${denseCell} ${numberCell} hidden md:table-cell">${usualPrice(model, 'cached_input')}</td><td class="${denseCell} ${numberCell} pr-5">${usualPrice(model, 'output')}</td></tr>`
}
