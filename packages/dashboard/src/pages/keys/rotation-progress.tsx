import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { Banner } from '../../ui/banner.tsx'
import { Spinner } from '../../ui/button.tsx'

const checkEveryMs = 2000

/** Says of a key that was rotated whether its new value is in force, and looks again until it is. */
export function RotationProgress({ id }: { readonly id: string }) {
  const { data } = useQuery({
    ...read('getKey', { params: { id } }),
    refetchInterval: ({ state }) => (state.data?.key.in_force === true ? false : checkEveryMs),
    // What was found of an earlier rotation says nothing of this one.
    gcTime: 0
  })
  if (data?.key.in_force === true) {
    return (
      <Banner tone="success" title="The new value is in force" isNews>
        Your apps can use it now.
      </Banner>
    )
  }
  return (
    <Banner tone="warning" title="The new value is not in force yet" isNews>
      <p className="flex items-center gap-2">
        <Spinner /> Until it is, the old value may still work. This page checks again by itself.
      </p>
    </Banner>
  )
}
