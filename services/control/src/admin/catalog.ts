import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import {
  AdminCatalogResponse,
  ApplyCatalogRequest,
  ApplyCatalogResponse,
  CatalogDiffRequest,
  CatalogDiffResponse
} from '@tollgate/contracts/http/admin/catalog.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import {
  type Candidate,
  countAccountsByPlan,
  countTouched,
  listCatalogs,
  readCandidate,
  readCatalogRow
} from '../catalog/catalog-candidate.ts'
import { diffCatalogs } from '../catalog/diff-catalogs.ts'
import { previewPublication } from '../catalog/publish-catalog.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { byOperator, recordAct } from './acts.ts'
import type { AdminContext } from './admin-context.ts'

const historyLimit = 50
/** A catalog file may have 1 MB. */
const bodyLimit = 1_100_000
/** Problems in the message of a refusal. */
const maxProblems = 20

/** `/catalog`: the catalog in force, what another one would change, and its publication. */
export function catalog(app: TypedApp, context: AdminContext): void {
  addCatalog(app, context)
  addDiff(app, context)
  addPublication(app, context)
}

function addCatalog(app: TypedApp, { database, catalogPublisher }: AdminContext): void {
  app.get(
    '/catalog',
    {
      onRequest: app.requireOperator,
      schema: {
        operationId: 'readCatalog',
        summary: 'Get the catalog in force and its history',
        response: answers({ 200: AdminCatalogResponse })
      }
    },
    async () => {
      const history = await listCatalogs(database.orm, historyLimit)
      const [inForce] = history
      const row = await readCatalogRow(database.orm, inForce!.version)
      if (row?.yaml == null) throw new Error(`catalog ${inForce!.version} has no text`)
      return {
        catalog: inForce!,
        yaml: row.yaml,
        missing_upstreams: await catalogPublisher.missingUpstreams(),
        history
      }
    }
  )
}

function addDiff(app: TypedApp, context: AdminContext): void {
  app.post(
    '/catalog/diff',
    {
      onRequest: app.requireOperator,
      bodyLimit,
      schema: {
        operationId: 'diffCatalog',
        summary: 'Compare a catalog with the one in force',
        description:
          'Lists each change, its meaning and the number of accounts that it touches. A catalog with problems cannot be applied.',
        body: CatalogDiffRequest,
        response: answers({ 200: CatalogDiffResponse })
      }
    },
    async (request) => {
      const candidate = await readCandidate(context.database.orm, request.body)
      if ('problems' in candidate) return { problems: candidate.problems, warnings: [], changes: [] }
      return describeChanges(context, candidate)
    }
  )
}

function addPublication(app: TypedApp, { database, catalogPublisher, clock }: AdminContext): void {
  app.post(
    '/catalog',
    {
      onRequest: [app.requireMoney, app.requireOperatorConfirmation],
      bodyLimit,
      schema: {
        operationId: 'applyCatalog',
        summary: 'Apply a catalog: the text of a file, or an earlier version',
        description:
          'Needs the role `money` and a confirmation. After success the catalog is in force at this replica of control and in Redis; other replicas and the gateways follow within about a second. After `change_pending`, repeat the call: it publishes nothing twice.',
        errors: ['catalog_refused', 'change_pending'],
        body: ApplyCatalogRequest,
        response: answers({ 200: ApplyCatalogResponse })
      }
    },
    async (request) => {
      const { reason, ...source } = request.body
      const candidate = await readCandidate(database.orm, source)
      if ('problems' in candidate) throw refusalOf(candidate.problems)
      const { problems } = await catalogPublisher.judge(candidate.catalog)
      if (problems.length > 0) throw refusalOf(problems)
      const by = byOperator(request, clock())
      await catalogPublisher.publish(candidate.content, {
        mode: 'apply',
        operator: { id: by.actorId, reason },
        record: (tx, { version, replaced }) =>
          recordAct(tx, by, {
            action: 'catalog.applied',
            accountId: null,
            subject: String(version),
            reason,
            detail: { version, replaced, again: 'version' in source ? source.version : null }
          })
      })
      // A repeated call publishes nothing, but reports whether the first has reached Redis now.
      if (!(await catalogPublisher.project())) throw new ServiceError('change_pending')
      const [inForce] = await listCatalogs(database.orm, 1)
      return { catalog: inForce! }
    }
  )
}

/** Says what a candidate would change for whom. */
async function describeChanges(
  { database, catalog: inForce, catalogPublisher }: AdminContext,
  candidate: Candidate
): Promise<CatalogDiffResponse> {
  const { orm } = database
  const [{ problems, warnings }, obstacle, counts] = await Promise.all([
    catalogPublisher.judge(candidate.catalog),
    previewPublication(orm, candidate.content, 'publish-new'),
    countAccountsByPlan(orm)
  ])
  const earlier =
    obstacle === null
      ? []
      : obstacle.outcome === 'in force'
        ? ['This catalog is in force already.']
        : [`This catalog was in force before, as catalog ${obstacle.former}.`]
  const changes = diffCatalogs(inForce, candidate.catalog).map(({ plans, ...change }) => ({
    ...change,
    accounts: countTouched(counts, plans, inForce, candidate.catalog)
  }))
  return { problems: [...problems], warnings: [...earlier, ...warnings], changes }
}

function refusalOf(problems: readonly string[]): ServiceError {
  const more = problems.length - maxProblems
  const listed = [...problems.slice(0, maxProblems), ...(more > 0 ? [`and ${more} more problems`] : [])]
  return new ServiceError('catalog_refused', { message: `The catalog is not published. ${listed.join('; ')}` })
}
