import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect
} from '@tanstack/react-router'
import { isCode } from './api/api-error.ts'
import { loadCode } from './api/load-code.ts'
import { queryClient, read } from './api/queries.ts'
import { FailurePage, FailurePart, NotFoundPage, NotFoundPart } from './layout/failure-page.tsx'
import { keepSearch } from './layout/keep-search.ts'
import { LoadingPage, LoadingPart } from './layout/loading-page.tsx'
import { mailLink } from './pages/auth/mail-link.ts'
import { openSignIn } from './pages/auth/open-sign-in.ts'
import { readRequestsSearch } from './pages/requests/requests-search.ts'
import { readUsageSearch } from './pages/usage/usage-search.ts'

/**
 * A page whose code is loaded when it is first shown.
 *
 * If loading fails although the server answers, the code is of an older build, and the router reloads the page. If the
 * server does not answer, a reload would show the browser's error page. An `ApiError` shows ours, with a retry.
 */
const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loadCode(load), name)

const rootRoute = createRootRoute({
  component: Outlet,
  errorComponent: FailurePage,
  notFoundComponent: NotFoundPage
})

const home = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async () => {
    if (mailLink() !== null) await openSignIn({})
    throw redirect({ to: '/dashboard' })
  }
})
const invitation = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitations/$token',
  component: lazyPage(() => import('./pages/invitation/invitation-page.tsx'), 'InvitationPage')
})

/**
 * Tried while the API is away, because the files of the page may come from elsewhere. Without it, there is no frame.
 */
const FailedShell = lazyRouteComponent(
  () => import('./layout/failed-shell.tsx').catch(() => ({ FailedShell: FailurePage })),
  'FailedShell'
)

const dashboard = createRoute({
  getParentRoute: () => rootRoute,
  path: '/dashboard',
  beforeLoad: async ({ location }) => {
    try {
      await Promise.all([queryClient.ensureQueryData(read('getUser')), queryClient.ensureQueryData(read('getAccount'))])
    } catch (error) {
      if (!isCode(error, 'not_authenticated')) throw error
      const { href, pathname } = location
      await openSignIn(pathname === '/dashboard' ? {} : { next: href })
    }
  },
  component: lazyPage(() => import('./layout/shell.tsx'), 'Shell'),
  pendingComponent: LoadingPage,
  errorComponent: FailedShell,
  notFoundComponent: NotFoundPart
})

const overview = createRoute({
  getParentRoute: () => dashboard,
  path: '/',
  component: lazyPage(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage')
})
const keys = createRoute({
  getParentRoute: () => dashboard,
  path: '/keys',
  validateSearch: keepSearch('q', 'tag', 'revoked', 'sort', 'create'),
  component: lazyPage(() => import('./pages/keys/keys-page.tsx'), 'KeysPage')
})
const key = createRoute({
  getParentRoute: () => dashboard,
  path: '/keys/$id',
  component: lazyPage(() => import('./pages/keys/key-page.tsx'), 'KeyPage')
})
const team = createRoute({
  getParentRoute: () => dashboard,
  path: '/team',
  component: lazyPage(() => import('./pages/team/team-page.tsx'), 'TeamPage')
})
const audit = createRoute({
  getParentRoute: () => dashboard,
  path: '/audit',
  validateSearch: keepSearch('q', 'action', 'actor', 'subject', 'from', 'to'),
  component: lazyPage(() => import('./pages/audit/audit-page.tsx'), 'AuditPage')
})
const playground = createRoute({
  getParentRoute: () => dashboard,
  path: '/playground',
  validateSearch: keepSearch('model'),
  component: lazyPage(() => import('./pages/playground/playground-page.tsx'), 'PlaygroundPage')
})
const models = createRoute({
  getParentRoute: () => dashboard,
  path: '/models',
  validateSearch: keepSearch('q', 'show', 'sort'),
  component: lazyPage(() => import('./pages/models/models-page.tsx'), 'ModelsPage')
})
const limits = createRoute({
  getParentRoute: () => dashboard,
  path: '/limits',
  component: lazyPage(() => import('./pages/limits-page.tsx'), 'LimitsPage')
})
const usage = createRoute({
  getParentRoute: () => dashboard,
  path: '/usage',
  validateSearch: readUsageSearch,
  component: lazyPage(() => import('./pages/usage/usage-page.tsx'), 'UsagePage')
})
const requests = createRoute({
  getParentRoute: () => dashboard,
  path: '/requests',
  validateSearch: readRequestsSearch,
  component: lazyPage(() => import('./pages/requests/requests-page.tsx'), 'RequestsPage')
})
const request = createRoute({
  getParentRoute: () => dashboard,
  path: '/requests/$id',
  component: lazyPage(() => import('./pages/requests/request-page.tsx'), 'RequestPage')
})
const notices = createRoute({
  getParentRoute: () => dashboard,
  path: '/notices',
  component: lazyPage(() => import('./pages/notices-page.tsx'), 'NoticesPage')
})
const webhooks = createRoute({
  getParentRoute: () => dashboard,
  path: '/webhooks',
  component: lazyPage(() => import('./pages/webhooks-page.tsx'), 'WebhooksPage')
})
const webhook = createRoute({
  getParentRoute: () => dashboard,
  path: '/webhooks/$id',
  validateSearch: keepSearch('status'),
  component: lazyPage(() => import('./pages/webhooks-page.tsx'), 'WebhookPage')
})
const billing = createRoute({
  getParentRoute: () => dashboard,
  path: '/billing',
  validateSearch: keepSearch('success', 'changed', 'plan', 'interval'),
  component: lazyPage(() => import('./pages/billing/billing-page.tsx'), 'BillingPage')
})
const account = createRoute({
  getParentRoute: () => dashboard,
  path: '/account',
  component: lazyPage(() => import('./pages/account/account-page.tsx'), 'AccountPage')
})

const operator = createRoute({
  getParentRoute: () => dashboard,
  path: '/operator',
  beforeLoad: async () => {
    const { user } = await queryClient.ensureQueryData(read('getUser'))
    if (user.role !== 'operator') throw notFound()
  },
  component: lazyPage(() => import('./pages/operator/operator-frame.tsx'), 'OperatorFrame')
})
const operatorHome = createRoute({
  getParentRoute: () => operator,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/dashboard/operator/accounts' })
  }
})
const accounts = createRoute({
  getParentRoute: () => operator,
  path: '/accounts',
  validateSearch: keepSearch('q', 'plan', 'status', 'past_due', 'sort', 'cursor'),
  component: lazyPage(() => import('./pages/operator/accounts/accounts-page.tsx'), 'AccountsPage')
})
const anyAccount = createRoute({
  getParentRoute: () => operator,
  path: '/accounts/$id',
  component: lazyPage(() => import('./pages/operator/account/any-account-page.tsx'), 'AnyAccountPage')
})
const anyRequests = createRoute({
  getParentRoute: () => operator,
  path: '/accounts/$id/requests',
  validateSearch: readRequestsSearch,
  component: lazyPage(() => import('./pages/operator/any-requests-page.tsx'), 'AnyRequestsPage')
})
const anyRequest = createRoute({
  getParentRoute: () => operator,
  path: '/requests/$id',
  component: lazyPage(() => import('./pages/operator/any-requests-page.tsx'), 'AnyRequestPage')
})
const leakedKey = createRoute({
  getParentRoute: () => operator,
  path: '/leaked-key',
  component: lazyPage(() => import('./pages/operator/leaked-key/leaked-key-page.tsx'), 'LeakedKeyPage')
})
const system = createRoute({
  getParentRoute: () => operator,
  path: '/system',
  component: lazyPage(() => import('./pages/operator/system/system-page.tsx'), 'SystemPage')
})
const money = createRoute({
  getParentRoute: () => operator,
  path: '/money',
  validateSearch: keepSearch('month'),
  component: lazyPage(() => import('./pages/operator/money/money-page.tsx'), 'MoneyPage')
})
const catalog = createRoute({
  getParentRoute: () => operator,
  path: '/catalog',
  component: lazyPage(() => import('./pages/operator/catalog/catalog-page.tsx'), 'CatalogPage')
})
const operatorNotices = createRoute({
  getParentRoute: () => operator,
  path: '/notices',
  component: lazyPage(() => import('./pages/operator/notices-and-webhooks.tsx'), 'OperatorNoticesPage')
})
const operatorWebhooks = createRoute({
  getParentRoute: () => operator,
  path: '/webhooks',
  component: lazyPage(() => import('./pages/operator/notices-and-webhooks.tsx'), 'OperatorWebhooksPage')
})
const operatorWebhook = createRoute({
  getParentRoute: () => operator,
  path: '/webhooks/$id',
  validateSearch: keepSearch('status'),
  component: lazyPage(() => import('./pages/operator/notices-and-webhooks.tsx'), 'OperatorWebhookPage')
})
const operatorsLog = createRoute({
  getParentRoute: () => operator,
  path: '/log',
  validateSearch: keepSearch('actor_id', 'account_id'),
  component: lazyPage(() => import('./pages/operator/operators-log-page.tsx'), 'OperatorsLogPage')
})

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    home,
    invitation,
    dashboard.addChildren([
      overview,
      keys,
      key,
      playground,
      models,
      limits,
      usage,
      requests,
      request,
      billing,
      team,
      notices,
      webhooks,
      webhook,
      audit,
      account,
      operator.addChildren([
        operatorHome,
        accounts,
        anyAccount,
        anyRequests,
        anyRequest,
        leakedKey,
        system,
        money,
        catalog,
        operatorNotices,
        operatorWebhooks,
        operatorWebhook,
        operatorsLog
      ])
    ])
  ]),
  defaultPreload: 'intent',
  // In the place of the page: the frame around it stays.
  defaultPendingComponent: LoadingPart,
  defaultErrorComponent: FailurePart,
  defaultPendingMs: 300,
  // Search parameters are plain text, so that addresses stay short and can be typed.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (values) => {
    const search = new URLSearchParams(
      Object.entries(values).filter((pair): pair is [string, string] => typeof pair[1] === 'string' && pair[1] !== '')
    ).toString()
    return search === '' ? '' : `?${search}`
  }
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
