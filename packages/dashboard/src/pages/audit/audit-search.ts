import type { ExportFormat } from '../../ui/export-links.tsx'
import type { Option, OptionGroup } from '../../ui/select-box.tsx'
import { boundsOf } from '../../usage/bounds-of-days.ts'
import { describedActions } from './describe-entry.ts'

/** The filters of the audit page, as in its address. */
export interface AuditSearch {
  readonly q?: string
  /** An action, or a kind of actions such as `key`. */
  readonly action?: string
  /** Id of a user or of a management key, or `service`. */
  readonly actor?: string
  /** Id of the changed thing. */
  readonly subject?: string
  /** The first and the last day (UTC), such as `2026-11-23`. Both are included. */
  readonly from?: string
  readonly to?: string
}

const actionForm = /^[a-z_]+(\.[a-z_]+)?(,[a-z_]+(\.[a-z_]+)?)*$/
const actorForm = /^(service|key_[0-9A-Za-z]{24}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** The filters that the API takes. Values of another form are left out, so that a mistyped address still works. */
export function readAuditFilters({ q, action, actor, subject, from, to }: AuditSearch): AuditSearch {
  const text = q?.trim()
  return {
    ...(text && { q: text }),
    ...(action && actionForm.test(action) && { action }),
    ...(actor && actorForm.test(actor) && { actor }),
    ...(subject && { subject }),
    ...boundsOf(from, to)
  }
}

/** The address of an export with these filters. */
export const auditExportPath = (search: AuditSearch, format: ExportFormat): string =>
  `/api/audit/export?${new URLSearchParams({ ...readAuditFilters(search), format })}`

const kinds = [
  ['key', 'Keys'],
  ['team', 'Team'],
  ['webhook', 'Webhooks'],
  ['auth', 'Sign-ins and passwords'],
  ['user', 'Profile and data'],
  ['account', 'Account'],
  ['plan', 'Plan'],
  ['subscription', 'Subscription']
] as const

/** Actions to choose from: all, all of a kind, or a single one. */
export const actionOptions: ReadonlyArray<Option | OptionGroup> = [
  ['', 'All changes'],
  ...kinds.map(([kind, name]) => {
    const actions = describedActions.filter(([action]) => action.startsWith(`${kind}.`))
    return { name, options: actions.length > 1 ? [[kind, `${name}: all`] as const, ...actions] : actions }
  })
]
