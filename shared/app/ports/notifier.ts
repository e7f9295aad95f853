/** Tells the person when no face is looking. Never carries content (T-08, K-10). */
export interface Notifier {
  unread(total: number): void
  arrived(channelId: string, title: string): void
}
