import type { AnnouncementRequest } from '@tollgate/contracts/http/admin/announcements.ts'
import type { AnnouncementLevel } from '@tollgate/contracts/http/status.ts'
import { now } from '../../../api/clock.ts'
import type { Reading } from '../../../forms/form.tsx'
import { onlyProblems, textOf } from '../../../forms/read-fields.ts'

/** Reads the form of an announcement. @param zone the zone of the typed times */
export function readAnnouncementForm(data: FormData, zone: 'utc' | 'own'): Reading<AnnouncementRequest> {
  const title = textOf(data, 'title').trim()
  const [startsAt, endsAt] = ['starts_at', 'ends_at'].map((name) => readTime(textOf(data, name), zone))
  const isTooEarly = endsAt != null && (startsAt ?? now().toISOString()) >= endsAt
  const problems = onlyProblems({
    title: title === '' ? 'Enter a title.' : null,
    ends_at: isTooEarly ? 'Choose a time after the start.' : null
  })
  if (Object.keys(problems).length > 0) return { ok: false, problems }
  const level = textOf(data, 'level') as AnnouncementLevel
  const text = textOf(data, 'text').trim()
  return {
    ok: true,
    values: { level, title, text, ...(startsAt != null && { starts_at: startsAt }), ends_at: endsAt ?? null }
  }
}

/** @param text of a field for date and time, such as 2026-11-30T09:30; empty for none */
function readTime(text: string, zone: 'utc' | 'own'): string | null {
  const time = new Date(zone === 'utc' ? `${text}Z` : text)
  return text === '' || Number.isNaN(time.getTime()) ? null : time.toISOString()
}
