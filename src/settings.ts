import type { ConfigReport } from './config.ts';
import type { EffectiveSetting } from './model/system.ts';

/** Every setting as it stands, in the order of their table; secrets masked. What follows from others is filled in. */
export function effectiveSettings({ settings, config }: ConfigReport): readonly EffectiveSetting[] {
  return settings.map(({ setting, shown, source }) => {
    const { key, variable, meaning } = setting;
    const value = shown ?? (key === 'baseUrl' ? config?.baseUrl : undefined);
    return { variable, value, source, meaning };
  });
}
