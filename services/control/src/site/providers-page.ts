import type { Provider } from '@tollgate/contracts/catalog/catalog.ts'
import { storedHere } from '@tollgate/contracts/docs/docs-facts.ts'
import { card, cell, container, headCell, textLink } from './class-names.ts'
import { countOf, formatShortDay } from './format.ts'
import { type Html, html } from './html.ts'
import { renderMarkdown } from './markdown.ts'
import type { Page } from './site-context.ts'
import type { SiteFacts, SiteProvider } from './site-facts.ts'

/** `/providers`: who gets the requests, and what becomes of prompts there. */
export function providersPage({ providers, year }: SiteFacts): Page {
  const title = 'Where your requests go'
  return {
    path: '/providers',
    title,
    description:
      'Each provider of models: who gets your prompts, how long it keeps them, and whether it trains on them.',
    body: html`<div class="${container} pt-10"><h1 class="text-3xl font-semibold tracking-tight">${title}</h1>
<div class="prose mt-3 text-ink-soft">${renderMarkdown(`A request goes to the provider of the model that it names. The provider’s own terms hold there. ${storedHere}`)}</div>
<div class="${card} wide-table mt-6" tabindex="0" role="region" aria-label="Providers"><table class="w-full min-w-[52rem] text-sm"><thead class="border-b border-line"><tr>${[
      'Provider',
      'Who gets the prompts',
      'Keeps prompts and answers',
      'Trains models with them',
      'Source'
    ].map(
      (name) => html`<th scope="col" class="${headCell} first:pl-5 last:pr-5">${name}</th>`
    )}</tr></thead><tbody class="divide-y divide-line">${providers.map((one) => writeRow(one, year))}</tbody></table></div></div>`
  }
}

const unknown = html`<span class="text-ink-soft">Not stated</span>`

const row = `${cell} first:pl-5 last:pr-5`

function writeRow({ id, name, count, data }: SiteProvider, year: number): Html {
  const models = html`<a href="/models?${new URLSearchParams({ provider: id }).toString()}" class="${textLink}">${countOf(count, 'model')}</a>`
  return html`<tr><th scope="row" class="${row} text-left font-medium whitespace-nowrap">${name}<span class="block text-[0.8125rem] font-normal">${models}</span></th>${
    data === null && id === 'local'
      ? html`<td class="${row}" colspan="4">These requests stay on our own servers.</td>`
      : writeCells(data ?? {}, year)
  }</tr>`
}

function writeCells({ company, country, keeps, trains, terms, asOf }: Provider, year: number): Html {
  const who = [company, country].filter((part) => part !== undefined).join(', ')
  const cells = [
    who === '' ? unknown : who,
    keeps ?? unknown,
    trains === undefined ? unknown : trains ? 'Yes' : 'No',
    terms === undefined
      ? unknown
      : html`<a href="${terms}" rel="noopener" class="${textLink}">Its terms</a>${asOf !== undefined && html`<span class="block text-[0.8125rem] text-ink-soft">as of ${formatShortDay(Date.parse(asOf), year)}</span>`}`
  ]
  return html`${cells.map((value, index) => html`<td class="${row}${index > 1 && ' whitespace-nowrap'}">${value}</td>`)}`
}

/** What becomes of prompts at a provider, in sentences for the page of a model; null if nothing is known. */
export function describeData({ name, data }: SiteProvider, year: number): Html | null {
  if (data === null) return null
  const { company, country, keeps, trains, terms, asOf } = data
  const who = [company ?? name, ...(country === undefined ? [] : [country])].join(', ')
  const trained =
    trains === undefined ? '' : trains ? ' It may train models with them.' : ' It does not train models with them.'
  const day = asOf === undefined ? '' : ` as of ${formatShortDay(Date.parse(asOf), year)}`
  return html`Requests go to ${who}.${keeps !== undefined && ` It keeps prompts and answers: ${keeps.charAt(0).toLowerCase()}${keeps.slice(1)}`}${trained}${terms !== undefined && html` <a href="${terms}" rel="noopener" class="${textLink}">Its terms</a>${day}.`}`
}
