import type { Announcement, ServiceState } from '@tollgate/contracts/http/status.ts'
import { badge, card, sectionTitle } from './class-names.ts'
import { formatMonth } from './format.ts'
import { type Html, html } from './html.ts'
import { renderMarkdown } from './markdown.ts'
import { stateLooks, writeTime } from './status-bars.ts'

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

/** Past announcements with an open text. */
const maxOpen = 3
/** Past announcements on the page, and the characters of all their texts: the page stays small. */
const [maxPast, maxTexts] = [50, 20_000]

/** An announcement with its whole text. */
export function writeAnnouncement(one: Announcement, heading: 'h2' | 'h3' = 'h3'): Html {
  const title = html`<span class="${badge} ${stateLooks[announced[one.level]]}">${levels[one.level]}</span>${one.title}`
  const look = 'flex flex-wrap items-center gap-2 font-semibold'
  return html`<article class="${card} mt-4 p-5">${
    heading === 'h2' ? html`<h2 class="${look}">${title}</h2>` : html`<h3 class="${look}">${title}</h3>`
  }
${writePeriod(one)}
<div class="prose mt-3">${textOf(one)}</div></article>`
}

const textOf = ({ text }: Announcement): Html => renderMarkdown(text, 4)

function writePeriod({ starts_at: from, ends_at: until }: Announcement): Html {
  const isOneDay = until?.slice(0, 10) === from.slice(0, 10)
  return html`<p class="mt-1 text-[0.8125rem] text-ink-soft">${until === null && 'Since '}${writeTime(new Date(from))}${until !== null && html` to ${isOneDay ? `${until.slice(11, 16)} UTC` : writeTime(new Date(until))}`}</p>`
}

export const writePlanned = (planned: readonly Announcement[]): Html | null =>
  planned.length === 0
    ? null
    : html`<section class="mt-10"><h2 class="${sectionTitle}">Planned maintenance</h2>${planned.map((one) => writeAnnouncement(one))}</section>`

/** What has ended, by month. The newest texts are open, and the oldest are left out if there are too many. */
export function writePast(past: readonly Announcement[], days: number): Html {
  const isQuiet = past.every(({ level }) => level === 'info')
  let room = maxTexts
  let isCut = past.length > maxPast
  const items = past.slice(0, maxPast).map((one, index) => {
    const text = textOf(one)
    room -= String(text).length
    if (room < 0) isCut = true
    return { month: one.starts_at.slice(0, 7), item: writeItem(one, room < 0 ? null : text, index < maxOpen) }
  })
  const months = Map.groupBy(items, ({ month }) => month)
  return html`<section class="mt-10" aria-labelledby="past"><h2 id="past" class="${sectionTitle}">Past incidents</h2>${isQuiet && html`<p class="mt-2 text-ink-soft">No incidents reported in the last ${days} days.</p>`}
${[...months].map(
  ([month, some]) =>
    html`<h3 class="mt-6 font-semibold">${formatMonth(month)}</h3><ul class="${card} past-list">${some.map(({ item }) => item)}</ul>`
)}${isCut && html`<p class="mt-3 text-sm text-ink-soft">All older ones, with their texts, are in the <a href="/api/status" class="underline">status as JSON</a>.</p>`}</section>`
}

/** @param text null to leave it out */
function writeItem(one: Announcement, text: Html | null, isOpen: boolean): Html {
  const head = html`<span class="${badge} ${stateLooks[announced[one.level]]}">${levels[one.level]}</span> <b>${one.title}</b>`
  if (text === null || String(text) === '') return html`<li>${head}${writePeriod(one)}</li>`
  return html`<li><details${isOpen && html` open`}><summary>${head}${writePeriod(one)}</summary><div class="prose mt-2">${text}</div></details></li>`
}
