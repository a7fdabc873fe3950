import { installPreviousRelease, previousRelease } from '../../upgrade/previous-release.ts'
import { serveTogether } from '../../upgrade/serve-together.ts'
import type { Check } from './check.ts'

/** Every mixture of the previous release and this one, as an upgrade and a rollback make them. */
export const upgrade: Check = {
  name: 'upgrade',
  summary: `replaces all services of ${previousRelease.version} by this release and back, one by one, while they serve`,
  async run() {
    const previous = await installPreviousRelease()
    if ('missing' in previous) return { seen: [`SKIPPED: there is no ${previous.missing}`], broken: [] }
    await using parts = new AsyncDisposableStack()
    parts.defer(() => previous.remove())
    try {
      const replaced = ['control', 'control-2', 'gateway', 'gateway-2'] as const
      const { chats, calls } = await serveTogether({ teardown: (stop) => parts.defer(stop) }, previous, replaced)
      return { seen: [`${chats} chats and ${calls} calls of the API, none failed`], broken: [] }
    } catch (error) {
      return { seen: [], broken: [error instanceof Error ? error.message : String(error)] }
    }
  }
}
