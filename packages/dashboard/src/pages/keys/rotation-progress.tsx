import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { Banner } from '../../ui/banner.tsx'
import { Spinner } from '../../ui/button.tsx'

const checkEveryMs = 2000

/** Shows whether the new value of a rotated key is active, and checks again until it is. */
export function RotationProgress({ id }: { readonly id: string }) {
  const { data } = useQuery({
    ...read('getKey', { params: { id } }),
    refetchInterval: ({ state }) => (state.data?.key.in_force === true ? false : checkEveryMs),
    // A cached result of an earlier rotation must not count for this one.
    gcTime: 0
  })
  if (data?.key.in_force === true) {
    return (
      <Banner tone="success" title="The new value is active" isAnnounced>
        Your apps can use it now.
      </Banner>
    )
  }
  return (
    <Banner tone="warning" title="The new value is not active yet" isAnnounced>
      <p className="flex items-center gap-2">
        <Spinner /> Until then, the old value may still work. This page checks again on its own.
      </p>
    </Banner>
  )
}
