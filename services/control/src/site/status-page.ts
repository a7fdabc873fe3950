import type { ModelStatus, ProviderStatus, ServiceHistory, ServiceState } from '@tollgate/contracts/http/status.ts'
import { card, container, sectionTitle, textLink } from './class-names.ts'
import { countOf, formatCount, formatDay, formatShortDay, joinNames } from './format.ts'
import { type Html, html } from './html.ts'
import { nameInSentence, nameProvider } from './provider-names.ts'
import type { Page } from './site-context.ts'
import { modelPath, type SiteFacts } from './site-facts.ts'
import { dayBar, hourBar, percent, stateBadge, writeTime } from './status-bars.ts'
import { writeAnnouncement, writePast, writePlanned } from './status-incidents.ts'

const overall: Readonly<Record<ServiceState, string>> = {
  good: 'All systems work.',
  degraded: 'Some requests fail.',
  down: 'Most requests fail.',
  unknown: 'No known incidents.'
}

const maxNamed = 2

/** The state of the whole service, in a sentence or two. */
function describeState({ state, gateway, announcements, models }: SiteFacts['status']): string {
  const isMaintained = announcements.some((one) => one.is_present && one.level === 'maintenance')
  const disturbed = models.filter((one) => one.state === 'degraded' || one.state === 'down').map(({ id }) => id)
  const names = joinNames([
    ...disturbed.slice(0, maxNamed),
    ...(disturbed.length > maxNamed ? [`${disturbed.length - maxNamed} more`] : [])
  ])
  const isGood = state === 'good' && disturbed.length > 0
  const sentence = isGood ? 'The service works.' : overall[state]
  if (gateway === 'down') return 'The API is down.'
  if (state === 'degraded' && isMaintained) return 'Maintenance is under way.'
  return names === '' ? sentence : `${sentence} Disturbed: ${names}.`
}

const later = 'Speed and uptime appear once there are 20 requests in a day.'
const rule =
  'A day or an hour is “Good” if at least 99 % of its requests succeeded or only one failed. It is “Down” if fewer than half succeeded. ' +
  'Grey means too few requests to say: fewer than 20 in a day, or 5 in an hour.'

/**
 * `/status`: whether requests succeed, by provider and model, and what the operator announces.
 *
 * @param now when the status was read
 * @param supportUrl where people get help; null for none
 */
export function statusPage({ status }: SiteFacts, now: Date, supportUrl: string | null): Page {
  const { state, gateway, history, announcements, providers, models } = status
  const present = announcements.filter((one) => one.is_present)
  const coming = announcements.filter((one) => !one.is_present && Date.parse(one.starts_at) > now.getTime())
  const past = announcements.filter((one) => !one.is_present && !coming.includes(one))
  const sentence = describeState(status)
  const measured = models.filter((one) => one.uptime !== null)
  const isMeasured = history.uptime_90_days !== null
  return {
    path: '/status',
    title: 'Status',
    description: `${sentence} Success of requests in the last ${history.days.length} days, and speed of each model.`,
    body: html`<div class="${container} pt-8"><h1 class="text-3xl font-semibold tracking-tight">Status</h1>
<div class="${card} mt-5 p-5"><p class="flex flex-wrap items-center gap-3 text-lg font-medium">${state !== 'unknown' && stateBadge(state)}${sentence}</p><p class="mt-1 text-sm text-ink-soft">As of ${writeTime(now)}. ${isMeasured ? 'Gateways report once a minute.' : later}</p></div>
${present.map((one) => writeAnnouncement(one, 'h2'))}
${isMeasured && writeHistory(history)}${writeServices(gateway)}
${isMeasured && writeProviders(providers)}${measured.length > 0 && writeModels(measured, models.length)}
${writePlanned(coming)}${writePast(past, history.days.length)}
<p class="mt-10 flex flex-wrap gap-x-6 gap-y-2 text-sm text-ink-soft">${supportUrl !== null && html`<a href="${supportUrl}" class="${textLink}">Something fails? Ask support</a>`}<a href="/api/status" class="${textLink}">Status as JSON</a></p></div>`
  }
}

const dayMs = 86_400_000
const maxDays = 6

/** The whole service by day. */
function writeHistory(history: ServiceHistory): Html {
  const {
    days,
    day_uptimes: uptimes,
    first_day: first,
    measured_since: since,
    uptime_30_days,
    uptime_90_days
  } = history
  const isYoung = since !== null && since > first
  const ofMonth = Date.parse(since!) > Date.parse(first) + (days.length - 30) * dayMs ? null : uptime_30_days
  const year = new Date(Date.parse(first) + (days.length - 1) * dayMs).getUTCFullYear()
  const disturbed = days
    .flatMap((state, index) => (state === 'degraded' || state === 'down' ? [index] : []))
    .toReversed()
    .map((index) => `${formatShortDay(Date.parse(first) + index * dayMs, year)} (${percent(uptimes[index]!)})`)
  const more = disturbed.length - maxDays
  const named = [...disturbed.slice(0, maxDays), ...(more > 0 ? [`${more} more`] : [])]
  return html`<section class="mt-10" aria-labelledby="history"><h2 id="history" class="${sectionTitle}">Last ${days.length} days</h2>
<div class="${card} mt-4 p-5"><p><strong class="text-lg font-semibold tabular-nums">${percent(uptime_90_days!)}</strong> of requests succeeded ${isYoung ? html`since ${formatDay(Date.parse(since))}` : `in the last ${days.length} days`}${ofMonth !== null && html`, <span class="tabular-nums">${percent(ofMonth)}</span> in the last 30`}.</p>
<div class="mt-4">${dayBar(days, 'h-9')}</div>${dayEnds(days.length)}
${disturbed.length > 0 && html`<p class="mt-3 text-sm">Disturbed days: ${joinNames(named)}.</p>`}<p class="mt-3 text-sm text-ink-soft">${isYoung && 'Days before that were not measured. '}${rule}</p></div></section>`
}

/** What the ends of a bar are. @see dayBar */
const dayEnds = (count: number): Html =>
  html`<p class="mt-1 flex justify-between text-[0.8125rem] text-ink-soft"><span class="max-sm:hidden">${count} days ago</span><span class="sm:hidden">30 days ago</span><span>Today</span></p>`

const gatewayFacts: Readonly<Record<ServiceState, string>> = {
  good: 'A gateway reported in the last minute.',
  degraded: '',
  down: 'No gateway has reported for a minute.',
  unknown: 'No report of a gateway is known.'
}

function writeServices(gateway: ServiceState): Html {
  const services: Array<readonly [name: string, fact: string, state: ServiceState]> = [
    ['API', gatewayFacts[gateway], gateway],
    ['Website and dashboard', 'This page comes from their server.', 'good']
  ]
  return html`<section class="mt-10" aria-labelledby="services"><h2 id="services" class="${sectionTitle}">Services</h2>
<ul class="${card} mt-4 divide-y divide-line">${services.map(
    ([name, fact, state]) =>
      html`<li class="flex items-center justify-between gap-3 px-5 py-3"><span class="min-w-0">${name}<span class="block text-sm text-ink-soft">${fact}</span></span>${stateBadge(state)}</li>`
  )}</ul></section>`
}

function writeProviders(providers: readonly ProviderStatus[]): Html {
  const [measured, others] = [true, false].map((is) =>
    providers.filter(({ uptime_90_days }) => (uptime_90_days !== null) === is)
  )
  return html`<section class="mt-10" aria-labelledby="providers"><h2 id="providers" class="${sectionTitle}">Providers</h2>
<ul class="${card} mt-4 divide-y divide-line">${measured!.map(
    ({ name, state, days, uptime_90_days }) =>
      html`<li class="px-5 py-3"><div class="flex items-center justify-between gap-3"><span class="min-w-0 break-words">${nameProvider(name)}</span><span class="flex shrink-0 items-center gap-3"><span class="text-sm text-ink-soft tabular-nums">${percent(uptime_90_days!)}</span>${state !== 'unknown' && stateBadge(state)}</span></div><div class="mt-2">${dayBar(days, 'h-5')}</div></li>`
  )}</ul>${others!.length > 0 && html`<p class="mt-3 text-sm text-ink-soft">Fewer than 20 requests in 90 days: ${joinNames(others!.map(({ name }) => nameInSentence(name)))}.</p>`}</section>`
}

const dots: Readonly<Record<ServiceState, string>> = {
  good: 'bg-accent',
  degraded: 'bg-warning',
  down: 'bg-danger',
  unknown: 'bg-line-strong'
}
/** The state of the service for other pages, in a line; null while it is not known. */
export function statusLine({ status }: SiteFacts): Html | null {
  if (status.state === 'unknown') return null
  return html`<p class="mt-4 text-sm"><a href="/status" class="inline-flex min-h-6 items-center gap-2 text-ink-soft hover:text-ink hover:underline"><span class="size-2 shrink-0 rounded-full ${dots[status.state]}"></span>${describeState(status)}</a></p>`
}

function writeModels(models: readonly ModelStatus[], count: number): Html {
  const others = count - models.length
  const heads = ['Model', 'Success', 'Last 24 hours', 'First token', 'Tokens / s']
  return html`<section class="mt-10" aria-labelledby="models"><h2 id="models" class="${sectionTitle}">Models</h2>
<p class="mt-1 text-ink-soft">Measured from real requests of the last 24 hours. Each bar is an hour.${others > 0 && ` ${countOf(others, 'model')} had fewer than 20 requests.`}</p>
<div class="${card} wide-table mt-4" tabindex="0" role="region" aria-label="Success and speed of models"><table class="status-table"><thead class="text-[0.8125rem] text-ink-soft"><tr>${heads.map((text) => html`<th scope="col">${text}</th>`)}</tr></thead>
<tbody>${models.map(
    ({ id, uptime, first_token_ms: first, tokens_per_second: speed, hours }) =>
      html`<tr><th scope="row"><a href="${modelPath(id)}">${id}</a></th><td>${uptime !== null && percent(uptime)}</td><td>${hourBar(hours)}</td><td>${first !== null && milliseconds(first.p50)}</td><td>${speed !== null && formatCount(speed.p50)}</td></tr>`
  )}</tbody></table></div></section>`
}

const milliseconds = (ms: number): string => (ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`)

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
