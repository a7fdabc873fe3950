import { type Static, Type } from 'typebox'
import { described } from './described.ts'

/** Whether requests succeed: `unknown` if too few were made to say so. */
export const serviceStates = ['good', 'degraded', 'down', 'unknown'] as const
export type ServiceState = (typeof serviceStates)[number]
const State = described('Whether requests succeed: `unknown` if too few were made to say so.', Type.Enum(serviceStates))

/** What an announcement is about. */
export const announcementLevels = ['info', 'degraded', 'outage', 'maintenance'] as const
export type AnnouncementLevel = (typeof announcementLevels)[number]

const Instant = Type.String({ format: 'date-time' })
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })

/** An announcement as everybody sees it. */
export const Announcement = Type.Object({
  id: described('The id of the announcement.', Type.String({ format: 'uuid' })),
  level: described('What it is about.', Type.Enum(announcementLevels)),
  title: described('What happened or will happen, in a line.', Type.String()),
  text: Type.String({ description: 'Markdown. It has no HTML, images or scripts of its own: show it as text.' }),
  starts_at: described('When it begins.', Instant),
  ends_at: orNull(Instant, 'null: until the operator ends it.'),
  is_present: Type.Boolean({ description: 'Whether it has started and has not ended.' })
})
export type Announcement = Static<typeof Announcement>

const Uptime = orNull(
  Type.Number({ minimum: 0, maximum: 1 }),
  'The share of requests that succeeded in the last 24 hours, rounded down. null if there were fewer than 20.'
)

const uptimeOfDays = (days: number) =>
  orNull(
    Type.Number({ minimum: 0, maximum: 1 }),
    `The share of requests that succeeded in the last ${days} days, or since \`measured_since\` if that is later, rounded down. null ` +
      'if there were fewer than 20.'
  )

/** What was measured by day. */
export const DayHistory = Type.Object({
  days: Type.Array(State, {
    description:
      'The last 90 days (UTC), the oldest first. The last one is running. `unknown` with fewer than 20 requests.'
  }),
  day_uptimes: Type.Array(Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()]), {
    description:
      'The share of requests that succeeded on each of these days, rounded down. null with fewer than 20 requests.'
  }),
  uptime_30_days: uptimeOfDays(30),
  uptime_90_days: uptimeOfDays(90)
})
export type DayHistory = Static<typeof DayHistory>

export const ServiceHistory = Type.Object(
  {
    first_day: Type.String({ format: 'date', description: 'The day of the first entry of all `days`.' }),
    measured_since: orNull(
      Type.String({ format: 'date' }),
      'The first of these days with a request. Before, nothing was measured. null: nothing has been measured yet.'
    ),
    ...DayHistory.properties
  },
  { description: 'All requests to models that are on sale, or were.' }
)
export type ServiceHistory = Static<typeof ServiceHistory>

export const ProviderStatus = Type.Object({
  name: Type.String({ description: 'The owner of the models, as in `owned_by` of a model.' }),
  state: State,
  uptime: Uptime,
  ...DayHistory.properties
})
export type ProviderStatus = Static<typeof ProviderStatus>

export const ModelStatus = Type.Object({
  id: described('The model.', Type.String()),
  provider: described('The owner of the model, as in `providers`.', Type.String()),
  state: State,
  uptime: Uptime,
  first_token_ms: orNull(
    Type.Object({
      p50: described('The median.', Type.Integer({ minimum: 0 })),
      p95: described('The time that 95 % of the streams keep.', Type.Integer({ minimum: 0 }))
    }),
    'Milliseconds from the arrival of a request to the first bytes of its stream: the median, and the time that 95 % of the streams ' +
      'keep. Estimated from a histogram; 10000 means 10 seconds or more. null if there were fewer than 20 streams.'
  ),
  tokens_per_second: orNull(
    Type.Object({ p50: described('The median.', Type.Number({ minimum: 0 })) }),
    'Output tokens per second after the first one: the median of the streams. Estimated from a histogram. null if there were fewer ' +
      'than 20 streams.'
  ),
  hours: Type.Array(State, {
    minItems: 24,
    maxItems: 24,
    description: 'The last 24 hours (UTC), the oldest first. The last one is running.'
  })
})
export type ModelStatus = Static<typeof ModelStatus>

export const StatusResponse = Type.Object({
  now: described('When this was measured.', Instant),
  state: Type.Enum(serviceStates, {
    description:
      'The whole service. Without a gateway, it is `down`. Present announcements can only lower it: an outage to `down`, others but ' +
      '`info` to `degraded`.'
  }),
  gateway: Type.Enum(serviceStates, {
    description:
      '`good` if a gateway has reported in the last minute, else `down`. `unknown` if nobody knows: Redis is away, or no gateway has ' +
      'ever reported.'
  }),
  history: ServiceHistory,
  announcements: Type.Array(Announcement, {
    description:
      'Those of the operator that are present, maintenance that begins within 7 days, and those that ended within the last 90 days; ' +
      'newest first, at most 100.'
  }),
  providers: described('Each provider of models.', Type.Array(ProviderStatus)),
  models: described('Each model on sale.', Type.Array(ModelStatus))
})
export type StatusResponse = Static<typeof StatusResponse>
