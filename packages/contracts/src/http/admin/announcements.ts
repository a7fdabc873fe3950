import { type Static, Type } from 'typebox'
import { described } from '../described.ts'
import { patterns } from '../patterns.ts'
import { Announcement, announcementLevels } from '../status.ts'
import { closed, Instant } from './adjustments.ts'

const Title = Type.String({ minLength: 1, maxLength: 120, pattern: patterns.reason })
const Text = Type.String({ maxLength: 4000, description: 'Markdown. Everybody sees it.' })
const Level = Type.Enum(announcementLevels)
const EndsAt = Type.Union([Instant, Type.Null()], {
  description: 'After `starts_at`. null: until you end it. To end an announcement, send the present time.'
})

export const AnnouncementRequest = Type.Object(
  {
    level: Level,
    title: Title,
    text: Type.Optional(Text),
    starts_at: described('Default: now.', Type.Optional(Instant)),
    ends_at: described('Default: null.', Type.Optional(EndsAt))
  },
  closed
)
export type AnnouncementRequest = Static<typeof AnnouncementRequest>

/** A missing member changes nothing. */
export const ChangeAnnouncementRequest = Type.Object(
  {
    level: Type.Optional(Level),
    title: Type.Optional(Title),
    text: Type.Optional(Text),
    starts_at: Type.Optional(Instant),
    ends_at: Type.Optional(EndsAt)
  },
  { ...closed, minProperties: 1, examples: [{ title: 'Solved' }] }
)
export type ChangeAnnouncementRequest = Static<typeof ChangeAnnouncementRequest>

export const AnnouncementParams = Type.Object({ id: Type.String() })

export const AnnouncementResponse = Type.Object({ announcement: Announcement })
export type AnnouncementResponse = Static<typeof AnnouncementResponse>

export const AnnouncementsResponse = Type.Object({
  announcements: described(
    'Also those that nobody sees yet or any more. The latest to start first; at most 100.',
    Type.Array(Announcement)
  )
})
export type AnnouncementsResponse = Static<typeof AnnouncementsResponse>
