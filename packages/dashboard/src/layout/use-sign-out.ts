import { explain } from '../api/api-error.ts'
import { call } from '../api/call.ts'
import { useToast } from '../ui/toast.tsx'
import { finishSignOut } from './finish-sign-out.ts'

/** A function that signs out in this browser and opens the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const showToast = useToast()
  return async () => {
    try {
      await call('signout')
      await finishSignOut()
    } catch (error) {
      showToast(`You may still be signed in. ${explain(error)}`, 'failed')
    }
  }
}
