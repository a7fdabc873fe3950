import { lazyRouteComponent } from '@tanstack/react-router'
import { loadCode } from '../api/load-code.ts'

/**
 * A page whose code is loaded when it is first shown.
 *
 * If loading fails although the server answers, the code is of an older build, and the router reloads the page. If the
 * server does not answer, a reload would show the browser's error page. An `ApiError` shows ours, with a retry.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loadCode(load), name)
