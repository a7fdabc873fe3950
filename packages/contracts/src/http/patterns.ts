/** Characters that show nothing, as in a regular expression. */
const invisible = '\\s\\u00ad\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff'
/** Characters that a log must not have: control characters, and those that change the direction of text. */
const control = '\\u0000-\\u001f\\u007f\\u202a-\\u202e\\u2066-\\u2069'

/** Patterns of values that have one form. Words for people: {@link patternWords}. */
export const patterns = {
  /** Stored unchanged. PostgreSQL cannot store a NUL. */
  label: `^(?=[\\s\\S]*[^${invisible}])[^\\u0000]*$`,
  reason: `^(?=.*[^${invisible}])[^${control}]*$`,
  month: '^20[0-9]{2}-(0[1-9]|1[0-2])$',
  upTo100: '^([1-9][0-9]?|100)$',
  upTo1000: '^([1-9][0-9]{0,2}|1000)$',
  status: '^[1-5]([0-9]{2}|xx)$',
  usd: '^(0|[1-9][0-9]{0,8})(\\.[0-9]{1,9})?$',
  upTo9Digits: '^(0|[1-9][0-9]{0,8})$',
  actions: '^[a-z_]+(\\.[a-z_]+)?(,[a-z_]+(\\.[a-z_]+)?){0,99}$',
  actor: '^(service|key_[0-9A-Za-z]{24}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$',
  /** A query parameter that filters by metadata. */
  metadataFilter: '^metadata\\.[A-Za-z0-9_.-]{1,40}$',
  usageGroup: '^(model|key|member|none|metadata\\.[A-Za-z0-9_.-]{1,40})$'
} as const

/** What a value must be, by the pattern that it does not match. Other patterns exclude characters. */
export const patternWords: ReadonlyMap<string, string> = new Map([
  [patterns.label, 'must have a visible character'],
  [patterns.reason, 'must have a visible character, and no control characters'],
  [patterns.month, 'must be a month such as 2026-11'],
  [patterns.upTo100, 'must be a whole number from 1 to 100'],
  [patterns.upTo1000, 'must be a whole number from 1 to 1000'],
  [patterns.status, 'must be a status such as 429, or 5xx'],
  [patterns.usd, 'must be an amount such as 0.05, with at most nine decimals'],
  [patterns.upTo9Digits, 'must be a whole number of milliseconds, with at most nine digits'],
  [patterns.actions, 'must be actions such as key.created,key.revoked'],
  [patterns.actor, 'must be service, or the id of a user or a management key'],
  [patterns.usageGroup, 'must be model, key, member, none, or metadata. and a name, such as metadata.tenant']
])
