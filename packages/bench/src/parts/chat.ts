import type { Part } from './part.ts'
import { measureSaturation } from './saturation.ts'

/** Non-streaming chat: requests of about 1 KB, answers of about 1 KB. */
export const chat: Part = {
  name: 'chat',
  summary: 'non-streaming chat: CPU time per request, requests/s at saturation',
  async run(bench) {
    const { section, figures } = await measureSaturation(bench, 'chat', (side) => side.plainPlan())
    return { sections: [section], figures: { saturated: figures } }
  }
}
