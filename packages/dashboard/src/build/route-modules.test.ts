import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { readRouteModules } from './route-modules.ts'

test('an address loads the modules of its route and of the routes around it', async () => {
  const modules = readRouteModules(`
    const rootRoute = createRootRoute({ component: Outlet })
    const home = createRoute({ getParentRoute: () => rootRoute, path: '/', beforeLoad: () => {} })
    const dashboard = createRoute({
      getParentRoute: () => rootRoute,
      path: '/dashboard',
      component: lazyPage(() => import('./shell.tsx'), 'Shell'),
      errorComponent: lazyPage(() => import('./failed.tsx'), 'Failed')
    })
    const overview = createRoute({
      getParentRoute: () => dashboard,
      path: '/',
      component: lazyPage(() => import('./overview.tsx'), 'Overview')
    })
    const request = createRoute({
      getParentRoute: () => dashboard,
      path: '/requests/$id',
      validateSearch: keepSearch('q'),
      component: lazyPage(() => import('./request.tsx'), 'Request')
    })
  `)
  assert.deepEqual(Object.fromEntries(modules), {
    '/': [],
    '/dashboard': ['./shell.tsx', './overview.tsx'],
    '/dashboard/requests/:id': ['./shell.tsx', './request.tsx']
  })
})

test('a route without a plain path is refused, because its page would load slowly', async () => {
  assert.throws(() => readRouteModules('const a = createRoute({ path: somewhere })'), /router\.tsx: a has no path/)
  assert.throws(() => readRouteModules('const a = createRoute(options)'), /router\.tsx: a has no options/)
})

test('every page of the dashboard has modules to load early', async () => {
  const modules = readRouteModules(readFileSync(new URL('../router.tsx', import.meta.url), 'utf8'))
  const redirects = ['/', '/dashboard/operator']
  const frames = ['./layout/shell.tsx', './pages/operator/operator-frame.tsx']
  for (const [address, sources] of modules) {
    const isPage = sources.some((source) => source.startsWith('./pages/') && !frames.includes(source))
    assert.ok(isPage || redirects.includes(address), `${address} loads ${sources.join(', ') || 'nothing'}`)
  }
})
