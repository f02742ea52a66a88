export declare const kedaVersion: string;
export declare const kedaModule: string;
