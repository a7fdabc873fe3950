import { type Static, Type } from 'typebox'
import { described } from '../described.ts'
import { Count, closed, Instant, Reason } from './adjustments.ts'

const Version = Type.Integer({ minimum: 1 })
/** The text of a catalog file. */
const Yaml = Type.String({ minLength: 1, maxLength: 1_000_000 })

/** A catalog that was published. */
export const PublishedCatalog = Type.Object({
  version: Version,
  sha256: Type.String(),
  published_at: Instant,
  published_by: described(
    '`file`: a replica published the file of `CATALOG_FILE`. `operator`: an operator applied it.',
    Type.Enum(['file', 'operator'])
  ),
  operator_email: described(
    'Address of the operator; null for a file, and after the operator is deleted.',
    Type.Union([Type.String(), Type.Null()])
  ),
  reason: Type.Union([Type.String(), Type.Null()]),
  models: Count,
  plans: Count,
  is_kept: described(
    'False for an old catalog whose content is no longer kept, so that it cannot be applied again.',
    Type.Boolean()
  )
})
export type PublishedCatalog = Static<typeof PublishedCatalog>

export const AdminCatalogResponse = Type.Object({
  catalog: PublishedCatalog,
  yaml: described('The text of the file.', Type.String()),
  missing_upstreams: described(
    'Upstreams that models are routed to, but that no running gateway has.',
    Type.Array(Type.String())
  ),
  history: described('The newest 50, newest first.', Type.Array(PublishedCatalog))
})
export type AdminCatalogResponse = Static<typeof AdminCatalogResponse>

/** A new file, or the version of an earlier catalog. */
export const CatalogDiffRequest = Type.Union([
  Type.Object({ yaml: Yaml }, closed),
  Type.Object({ version: Version }, closed)
])
export type CatalogDiffRequest = Static<typeof CatalogDiffRequest>

/** A difference to the catalog in force. */
export const CatalogChange = Type.Object({
  path: described('Path in the file, such as `models.gpt-4o-mini.usd_per_million_tokens.output`.', Type.String()),
  kind: Type.Enum(['added', 'removed', 'changed']),
  from: described('The present value as text; null for `added`.', Type.Union([Type.String(), Type.Null()])),
  to: described('The new value as text; null for `removed`.', Type.Union([Type.String(), Type.Null()])),
  meaning: described('What it means, in one sentence.', Type.String()),
  accounts: described('Accounts whose plan the change touches.', Count)
})
export type CatalogChange = Static<typeof CatalogChange>

export const CatalogDiffResponse = Type.Object({
  problems: described('Why it cannot be applied. Empty: it can.', Type.Array(Type.String())),
  warnings: described('What the operator should know before applying it.', Type.Array(Type.String())),
  changes: Type.Array(CatalogChange)
})
export type CatalogDiffResponse = Static<typeof CatalogDiffResponse>

export const ApplyCatalogRequest = Type.Union([
  Type.Object({ yaml: Yaml, reason: Reason }, closed),
  Type.Object({ version: Version, reason: Reason }, closed)
])
export type ApplyCatalogRequest = Static<typeof ApplyCatalogRequest>

export const ApplyCatalogResponse = Type.Object({ catalog: PublishedCatalog })
export type ApplyCatalogResponse = Static<typeof ApplyCatalogResponse>
