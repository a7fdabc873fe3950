import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react'
import { followMoments } from './follow-moments.ts'

/** Loaded with the first tooltip, so that the first page stays small. */
const ExactTime = lazy<ComponentType<{ readonly moment: HTMLTimeElement }>>(() =>
  import('./exact-time.tsx').then(
    ({ ExactTime: component }) => ({ default: component }),
    // The page stays usable without tooltips.
    () => ({ default: () => null })
  )
)

/** Shows the exact time of the `Moment` under the pointer or with the focus. */
export function MomentTooltip() {
  const [moment, setMoment] = useState<HTMLTimeElement | null>(null)
  useEffect(() => followMoments(setMoment), [])
  if (moment === null) return null
  return (
    <Suspense fallback={null}>
      <ExactTime moment={moment} />
    </Suspense>
  )
}
