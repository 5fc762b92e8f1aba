package nulls;

import java.lang.annotation.*;

public class Nulls {
    @Retention(RetentionPolicy.CLASS) @interface Nullable {}
    @Retention(RetentionPolicy.RUNTIME) @interface Nonnull {}
    @Retention(RetentionPolicy.RUNTIME) @Target(ElementType.TYPE_USE) @interface NonNull {}
    @Retention(RetentionPolicy.CLASS) @Target(ElementType.TYPE_USE) @interface CheckForNull {}

    @Nullable Object a;
    @Nonnull Object b;
    Object c;
    @NonNull Object d;
    @CheckForNull Object[] elements;
    Object @CheckForNull [] array;
    int primitive;

    @Nullable Object f(@Nonnull Object p, Object q, @CheckForNull Object r, int i, @NonNull Object[] s) { return p; }

    class Inner {
        Inner(int i, @Nullable Object p, @NonNull Object q) {}
        @CheckForNull Inner self;
    }

    enum E { A(null, ""); E(@Nullable Object p, @NonNull Object q) {} }
}
