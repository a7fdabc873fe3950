import type { StartControlOptions } from '../../testing/control-options.ts'
import type { RunningControl } from '../../testing/running-control.ts'
import { startControl } from '../../testing/start-control.ts'

/** The files of a build that control needs to serve the public pages, for `t.testdir`. */
export const siteBuild = {
  'index.html': '<!doctype html><title>{{brandName}}</title><meta name="sign-in" content="{{signIn}}"><p>dashboard</p>',
  'site.json': JSON.stringify({
    stylesheet: '/assets/site.css',
    script: '/assets/site.js',
    font: '/assets/font.woff2'
  }),
  assets: {}
}

const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'

interface Test {
  after(handler: () => unknown): void
  testdir(files: typeof siteBuild): string
}

/** Starts control with public pages. `open` asks for a page as a browser without scripts and session does. */
export async function openSite(t: Test, options: StartControlOptions = {}) {
  const control: RunningControl = await startControl({ dashboardDir: t.testdir(siteBuild), ...options })
  t.after(() => control.close())
  const open = async (url: string, headers: Record<string, string> = {}) => {
    const answer = await control.app.inject({ url, headers: { accept, ...headers } })
    return { status: answer.statusCode, headers: answer.headers, text: answer.body, bytes: answer.rawPayload }
  }
  return { control, open }
}
