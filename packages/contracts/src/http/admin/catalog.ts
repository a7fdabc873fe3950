import { type Static, Type } from 'typebox'
import { Count, closed, Instant, Reason } from './adjustments.ts'

const Version = Type.Integer({ minimum: 1 })
/** The text of a catalog file. */
const Yaml = Type.String({ minLength: 1, maxLength: 1_000_000 })

/** A catalog that was published. */
export const PublishedCatalog = Type.Object({
  version: Version,
  sha256: Type.String(),
  published_at: Instant,
  /** `file`: a replica published the file of `CATALOG_FILE`. `operator`: an operator applied it. */
  published_by: Type.Enum(['file', 'operator']),
  /** Address of the operator; null for a file, and after the operator is deleted. */
  operator_email: Type.Union([Type.String(), Type.Null()]),
  reason: Type.Union([Type.String(), Type.Null()]),
  models: Count,
  plans: Count,
  /** False for an old catalog whose content is no longer kept, so that it cannot be applied again. */
  is_kept: Type.Boolean()
})
export type PublishedCatalog = Static<typeof PublishedCatalog>

export const AdminCatalogResponse = Type.Object({
  catalog: PublishedCatalog,
  /** The text of the file. */
  yaml: Type.String(),
  /** Upstreams that models are routed to, but that no running gateway has. */
  missing_upstreams: Type.Array(Type.String()),
  /** The newest 50, newest first. */
  history: Type.Array(PublishedCatalog)
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
  /** Path in the file, such as `models.gpt-4o-mini.usd_per_million_tokens.output`. */
  path: Type.String(),
  kind: Type.Enum(['added', 'removed', 'changed']),
  /** The present value as text; null for `added`. */
  from: Type.Union([Type.String(), Type.Null()]),
  /** The new value as text; null for `removed`. */
  to: Type.Union([Type.String(), Type.Null()]),
  /** What it means, in one sentence. */
  meaning: Type.String(),
  /** Accounts whose plan the change touches. */
  accounts: Count
})
export type CatalogChange = Static<typeof CatalogChange>

export const CatalogDiffResponse = Type.Object({
  /** Why it cannot be applied. Empty: it can. */
  problems: Type.Array(Type.String()),
  /** What the operator should know before applying it. */
  warnings: Type.Array(Type.String()),
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
