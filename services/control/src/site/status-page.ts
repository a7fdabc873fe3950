import type { Announcement, ModelStatus, ProviderStatus, ServiceState } from '@tollgate/contracts/http/status.ts'
import { badge, card, container, denseCell, headCell, numberCell, sectionTitle, textLink } from './class-names.ts'
import { countOf, formatCount, formatDay, joinNames } from './format.ts'
import { type Html, html } from './html.ts'
import { renderMarkdown } from './markdown.ts'
import { nameInSentence, nameProvider } from './provider-names.ts'
import type { Page } from './site-context.ts'
import { modelPath, type SiteFacts } from './site-facts.ts'

const overall: Readonly<Record<ServiceState, string>> = {
  good: 'All systems work.',
  degraded: 'Some requests fail.',
  down: 'Most requests fail.',
  unknown: 'No incidents reported.'
}

const words: Readonly<Record<ServiceState, string>> = {
  good: 'Good',
  degraded: 'Degraded',
  down: 'Down',
  unknown: 'Not measured'
}

const looks: Readonly<Record<ServiceState, string>> = {
  good: 'bg-accent-soft text-accent-strong',
  degraded: 'bg-warning-soft text-warning',
  down: 'bg-danger-soft text-danger',
  unknown: 'bg-sunken text-ink-soft'
}

const fills: Readonly<Record<ServiceState, string>> = {
  good: 'fill-accent',
  degraded: 'fill-warning',
  down: 'fill-danger',
  unknown: 'fill-line'
}

/** The state of the whole service, in a sentence. */
function describeState({ state, announcements }: SiteFacts['status']): string {
  const isMaintained = announcements.some((one) => one.is_present && one.level === 'maintenance')
  return state === 'degraded' && isMaintained ? 'Maintenance is under way.' : overall[state]
}

const later = 'Speed and uptime appear once there are 20 requests in a day.'

/**
 * `/status`: whether requests succeed, by provider and model, and what the operator announces.
 *
 * @param now when the status was read
 * @param supportUrl where people get help; null for none
 */
export function statusPage({ status }: SiteFacts, now: Date, supportUrl: string | null): Page {
  const { state, announcements, providers, models } = status
  const present = announcements.filter((one) => one.is_present)
  const coming = announcements.filter((one) => !one.is_present && Date.parse(one.starts_at) > now.getTime())
  const past = announcements.filter((one) => !one.is_present && !coming.includes(one))
  const sentence = describeState(status)
  const measured = models.filter((one) => one.uptime !== null)
  return {
    path: '/status',
    title: 'Status',
    description: `${sentence} Success and speed of each model in the last 24 hours.`,
    body: html`<div class="${container} pt-8"><h1 class="text-3xl font-semibold tracking-tight">Status</h1>
<div class="${card} mt-5 p-5"><p class="flex flex-wrap items-center gap-3 text-lg font-medium">${state !== 'unknown' && stateBadge(state)}${sentence}</p><p class="mt-1 text-sm text-ink-soft">As of ${writeTime(now)}. This website works.${measured.length > 0 ? ' Gateways report once a minute. “Good” is 95 % of requests or more.' : ` ${later}`}</p></div>
${present.map(writeAnnouncement)}
${measured.length > 0 && html`${writeProviders(providers)}${writeModels(measured, models.length)}`}
${writeAnnouncements('Planned maintenance', coming)}${writeAnnouncements('Past 7 days', past)}
<p class="mt-10 flex flex-wrap gap-x-6 gap-y-2 text-sm text-ink-soft">${supportUrl !== null && html`<a href="${supportUrl}" class="${textLink}">Something fails? Ask support</a>`}<a href="/api/status" class="${textLink}">Status as JSON</a></p></div>`
  }
}

function writeProviders(providers: readonly ProviderStatus[]): Html {
  const [measured, others] = [true, false].map((is) => providers.filter(({ uptime }) => (uptime !== null) === is))
  return html`<section class="mt-10" aria-labelledby="providers"><h2 id="providers" class="${sectionTitle}">Providers</h2>
<ul class="${card} mt-4 divide-y divide-line">${measured!.map(
    ({ name, state, uptime }) =>
      html`<li class="flex items-center justify-between gap-3 px-5 py-3"><span class="min-w-0 break-words">${nameProvider(name)}</span><span class="flex shrink-0 items-center gap-3"><span class="text-sm text-ink-soft tabular-nums">${percent(uptime!)}</span>${stateBadge(state)}</span></li>`
  )}</ul>${others!.length > 0 && html`<p class="mt-3 text-sm text-ink-soft">Fewer than 20 requests in 24 hours: ${joinNames(others!.map(({ name }) => nameInSentence(name)))}.</p>`}</section>`
}

const dots: Readonly<Record<ServiceState, string>> = {
  good: 'bg-accent',
  degraded: 'bg-warning',
  down: 'bg-danger',
  unknown: 'bg-line-strong'
}
const maxNamed = 2

/** The state of the service for other pages, in a line; null while it is not known. */
export function statusLine({ status }: SiteFacts): Html | null {
  const { state, models } = status
  if (state === 'unknown') return null
  const disturbed = models.filter((one) => one.state === 'degraded' || one.state === 'down').map(({ id }) => id)
  const names = joinNames([
    ...disturbed.slice(0, maxNamed),
    ...(disturbed.length > maxNamed ? [`${disturbed.length - maxNamed} more`] : [])
  ])
  return html`<p class="mt-4 text-sm"><a href="/status" class="inline-flex min-h-6 items-center gap-2 text-ink-soft hover:text-ink hover:underline"><span class="size-2 shrink-0 rounded-full ${dots[state]}"></span>${describeState(status)}${names !== '' && ` Disturbed: ${names}.`}</a></p>`
}

const stateBadge = (state: ServiceState): Html => html`<span class="${badge} ${looks[state]}">${words[state]}</span>`

/** As much as is sure: 99.96 % is not 100 %. */
const percent = (share: number): string => `${Math.floor(share * 1e4) / 100} %`

const announced: Readonly<Record<Announcement['level'], ServiceState>> = {
  info: 'unknown',
  degraded: 'degraded',
  outage: 'down',
  maintenance: 'degraded'
}

const levels: Readonly<Record<Announcement['level'], string>> = {
  info: 'Notice',
  degraded: 'Degraded',
  outage: 'Outage',
  maintenance: 'Maintenance'
}

function writeTime(time: Date): Html {
  const at = time.toISOString()
  return html`<time datetime="${at}">${formatDay(time)}, ${at.slice(11, 16)} UTC</time>`
}

const writeAnnouncements = (title: string, all: readonly Announcement[]): Html | null =>
  all.length === 0
    ? null
    : html`<section class="mt-10"><h2 class="${sectionTitle}">${title}</h2>${all.map(writeAnnouncement)}</section>`

function writeAnnouncement({ level, title, text, starts_at: from, ends_at: until }: Announcement): Html {
  return html`<article class="${card} mt-4 p-5"><h3 class="flex flex-wrap items-center gap-2 font-semibold"><span class="${badge} ${looks[announced[level]]}">${levels[level]}</span>${title}</h3>
<p class="mt-1 text-[0.8125rem] text-ink-soft">From ${writeTime(new Date(from))}${until !== null && html` to ${writeTime(new Date(until))}`}</p>
<div class="prose mt-3">${renderMarkdown(text, 4)}</div></article>`
}

function writeModels(models: readonly ModelStatus[], count: number): Html {
  const head = (text: string, isNumber = true) =>
    html`<th scope="col" class="${headCell}${isNumber && ' text-right'}">${text}</th>`
  const others = count - models.length
  return html`<section class="mt-10" aria-labelledby="models"><h2 id="models" class="${sectionTitle}">Models</h2>
<p class="mt-1 text-ink-soft">Measured from real requests of the last 24 hours. Each bar is an hour; a grey one had too few requests to say.${others > 0 && ` ${countOf(others, 'model')} had fewer than 20 requests.`}</p>
<div class="${card} wide-table mt-4" tabindex="0" role="region" aria-label="Success and speed of models"><table class="w-full text-sm whitespace-nowrap"><thead><tr class="border-b border-line">${head('Model', false)}${head('Last 24 hours', false)}${head('Success')}${head('First token')}${head('Tokens / s')}</tr></thead>
<tbody>${models.map((model) => {
    const { id, uptime, first_token_ms: first, tokens_per_second: speed, hours } = model
    return html`<tr class="border-b border-line last:border-0"><th scope="row" class="${denseCell} text-left font-mono text-[0.8125rem] font-normal whitespace-nowrap"><a href="${modelPath(id)}" class="${textLink}">${id}</a></th><td class="${denseCell}">${hourBar(hours)}</td><td class="${denseCell} ${numberCell}">${uptime !== null && percent(uptime)}</td><td class="${denseCell} ${numberCell}">${first !== null && milliseconds(first.p50)}</td><td class="${denseCell} ${numberCell}">${speed !== null && formatCount(speed.p50)}</td></tr>`
  })}</tbody></table></div></section>`
}

const milliseconds = (ms: number): string => (ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`)

const [barWidth, gap, height] = [5, 2, 20]

/** A bar for each hour, the last one at the right. */
function hourBar(hours: readonly ServiceState[]): Html {
  const count = (state: ServiceState) => hours.filter((hour) => hour === state).length
  const label = (['good', 'degraded', 'down', 'unknown'] as const)
    .filter((state) => count(state) > 0)
    .map((state) => `${count(state)} h ${words[state].toLowerCase()}`)
    .join(', ')
  return html`<svg role="img" aria-label="${label}" width="${hours.length * (barWidth + gap)}" height="${height}" class="max-w-none">${hours.map(
    (state, index) =>
      html`<rect x="${index * (barWidth + gap)}" width="${barWidth}" height="${height}" rx="1.5" class="${fills[state]}"/>`
  )}</svg>`
}

/** What was measured of a model, for its page. */
export function measuredSpeed({ status }: SiteFacts, id: string): Html {
  const model = status.models.find((one) => one.id === id)
  if (model === undefined || model.uptime === null) return html`<p class="mt-8 text-sm text-ink-soft">${later}</p>`
  const { uptime, first_token_ms: first, tokens_per_second: speed, hours } = model
  const facts: Array<readonly [name: string, value: string]> = [['Requests that succeeded', percent(uptime)]]
  if (first !== null) {
    facts.push(['First token, median', milliseconds(first.p50)], ['First token, 95 %', milliseconds(first.p95)])
  }
  if (speed !== null) facts.push(['Tokens per second, median', formatCount(speed.p50)])
  return html`<section class="mt-10" aria-labelledby="speed"><h2 id="speed" class="${sectionTitle}">Speed and uptime</h2><p class="mt-1 mb-4 text-ink-soft">Measured from real requests of the last 24 hours. <a href="/status" class="${textLink}">Status of all models</a></p>
<dl class="mb-4 flex flex-wrap gap-x-10 gap-y-3">${facts.map(([name, value]) => html`<div><dt class="text-[0.8125rem] text-ink-soft">${name}</dt><dd class="text-lg font-medium tabular-nums">${value}</dd></div>`)}</dl>${hourBar(hours)}</section>`
}
